import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { NOT_LOADED } from '#views/page-texts.ts';

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
      {([value, code]) => (code === null ? <p role="alert">{NOT_LOADED}</p> : children(value, code))}
    </ReadPart>
  );
}
