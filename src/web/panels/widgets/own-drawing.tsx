import './own.css';
import { type ReactNode, useId, useMemo } from 'react';
import type { DemoView } from '#views/sources-view.ts';
import { ReadPart, useRead } from '../../ui/load-part.tsx';

interface OwnView {
  title: string;
  /** Null if there is nothing to draw. */
  asOfText: string | null;
  demo: DemoView | null;
  emptyText: string;
}

interface OwnDrawingProps<Row, View extends OwnView> {
  load: () => Promise<readonly Row[]>;
  /** Must be of stable identity. */
  viewOf: (rows: readonly Row[]) => View;
  /** Subject of the sentences about the read, 'The stocks'. */
  subject: string;
  /** Content beside the title. */
  beside?: (view: View) => ReactNode;
  children: (view: View) => ReactNode;
}

/** The page's own drawing in the place of a widget. It has the size of its place. */
export function OwnDrawing<Row, View extends OwnView>(props: OwnDrawingProps<Row, View>) {
  const { load, viewOf, subject, beside, children } = props;
  const read = useRead(load);
  const view = useMemo(() => read.value && viewOf(read.value), [read.value, viewOf]);
  const drawing = useMemo(() => view && children(view), [view, children]);
  const id = useId();
  return (
    <ReadPart read={{ ...read, value: view }} subject={subject} className="own" wordsClass="own-words">
      {(shown) =>
        shown.asOfText === null ? (
          <p className="own-words quiet">{shown.emptyText}</p>
        ) : (
          <section className="own-drawing" aria-labelledby={id}>
            <div className="row">
              <h3 id={id}>{shown.title}</h3>
              {beside?.(shown)}
              <span className="quiet small">
                {shown.asOfText}
                {shown.demo !== null && <span title={shown.demo.title}> · {shown.demo.text}</span>}
              </span>
            </div>
            {drawing}
          </section>
        )
      }
    </ReadPart>
  );
}
