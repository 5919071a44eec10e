// Parts of the page that load later. One file: if its parts imported each other, the build would split React from the
// first script.
import {
  Component,
  createContext,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';

interface LoadBoundaryProps {
  className?: string;
  /** Content beside that text: a button to close it if it is an overlay. */
  beside?: ReactNode;
  /** Shown while the code is fetched; nothing by default. */
  fallback?: ReactNode;
  children: ReactNode;
}

const NOT_LOADED = <p role="alert">This part of the page could not be loaded. Please reload the page.</p>;

/** The boundary of a part with code of its own, until it is fetched, or if it cannot be (offline, or a new version). */
export class LoadBoundary extends Component<LoadBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    const { className, beside, fallback, children } = this.props;
    if (!this.state.failed) return <Suspense fallback={fallback}>{children}</Suspense>;
    return (
      <div className={className}>
        {NOT_LOADED}
        {beside}
      </div>
    );
  }
}

/** The code of an optional part: null until it is wanted and loaded, and after a failure. Calls the first `load` only. */
export function useCode<Code>(wanted: boolean, load: () => Promise<Code>): Code | null {
  const [code, setCode] = useState<Code | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each rendering passes another function for the same code
  useEffect(() => {
    if (wanted) load().then(setCode, () => {});
  }, [wanted]);
  return code;
}

/** When the page read its rows (epoch ms): an open part with a read of its own renders after each refresh. */
export const ReadAt = createContext(0);

/**
 * Reads at first, after each refresh of the page and at each `retry`. `load` is stable; its errors are for visitors. The
 * value is null before the first one, and stays while the next one is read.
 */
export function useRead<Value>(load: () => Promise<Value>) {
  const readAt = useContext(ReadAt);
  const [value, setValue] = useState<Value | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another refresh or attempt reads again
  useEffect(() => {
    let wanted = true;
    load().then(
      (read) => {
        if (!wanted) return;
        // Equal data stay the same object, so that nothing is drawn again.
        setValue((before) => (JSON.stringify(before) === JSON.stringify(read) ? before : read));
        setFailure(null);
      },
      (error: unknown) => wanted && setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      wanted = false;
    };
  }, [load, readAt, attempt]);

  function retry() {
    setValue(null);
    setFailure(null);
    setAttempt(attempt + 1);
  }

  return { value, failure, retry };
}

interface ReadPartProps<Value> {
  read: ReturnType<typeof useRead<Value>>;
  /** Subject of the sentences, 'The timeline'. */
  subject: string;
  className?: string;
  wordsClass?: string;
  children: (value: Value) => ReactNode;
}

function Loading({ subject, wordsClass = '' }: Pick<ReadPartProps<unknown>, 'subject' | 'wordsClass'>) {
  return (
    <p className={`quiet ${wordsClass}`} role="status">
      {`Loading ${subject.charAt(0).toLowerCase()}${subject.slice(1)}…`}
    </p>
  );
}

/** The value of a read, or a sentence while there is none, or the failure with a Retry button. */
export function ReadPart<Value>(props: ReadPartProps<Value>) {
  const { read, subject, className, wordsClass, children } = props;
  const place = useRef<HTMLDivElement>(null);

  function retry() {
    // The button disappears, so a keyboard user needs another place for the focus.
    place.current?.focus({ preventScroll: true });
    read.retry();
  }

  return (
    <div ref={place} className={className} tabIndex={-1}>
      {read.failure !== null && (
        <div className={wordsClass} role="alert">
          <p className="quiet">{`${subject} could not be read: ${read.failure}`}</p>
          <button type="button" className="button" onClick={retry}>
            Retry
          </button>
        </div>
      )}
      {read.failure === null && (read.value === null ? <Loading {...props} /> : children(read.value))}
    </div>
  );
}

interface ReadDrawingProps<Value, Code> extends Omit<ReadPartProps<Value>, 'read' | 'children'> {
  load: () => Promise<Value>;
  /** Imports the code of the drawing; null if it cannot be fetched. Must be of stable identity. */
  importCode: () => Promise<Code | null>;
  children: (value: Value, code: Code) => ReactNode;
}

/** A read and the code of its drawing, fetched at once. Not by `lazy`: React delays content after a fallback by 300 ms. */
export function ReadDrawing<Value, Code>(props: ReadDrawingProps<Value, Code>) {
  const { load, importCode, children, ...part } = props;
  const read = useRead(useCallback(() => Promise.all([load(), importCode()]), [load, importCode]));
  return (
    <ReadPart read={read} {...part}>
      {([value, code]) => (code === null ? NOT_LOADED : children(value, code))}
    </ReadPart>
  );
}
