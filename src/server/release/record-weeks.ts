import type { RecordRows } from '#schema/record-rows.ts';
import { mondayOfWeek, recordWeekView } from '#views/record-view.ts';
import { noRecordHtml, recordWeekHtml } from '#web/documents/record-page.tsx';
import { compressedResource, type Resource } from '../http/resource.ts';
import { DOCUMENT_HEADERS } from '../page/document-headers.ts';

const PATH = /^\/record\/([^/]*)$/;

/** The page of a week, by the last part of its path. */
export type RecordWeeks = (rows: RecordRows, name: string) => Promise<Resource>;

/** The name of the week in `/record/2026-W47`, right or wrong; null for any other path. */
export function readWeekPath(path: string): string | null {
  return PATH.exec(path)?.[1] ?? null;
}

/** The status and HTML of the page of a week. */
function pageOf(rows: RecordRows, name: string, productName: string): { status: number; html: string } {
  const place = { productName, home: '../' };
  const week = mondayOfWeek(name);
  if ('problem' in week) return { status: 404, html: noRecordHtml(week.problem, place) };
  const view = recordWeekView(rows, week.monday);
  if (view === null) {
    return { status: 404, html: noRecordHtml(`The week ${name} has no decision on record.`, place) };
  }
  return { status: 200, html: recordWeekHtml(view, place) };
}

/** Creates the pages of weeks. A page is kept as long as nothing is added to the record; one of no week is not kept. */
export function createRecordWeeks(productName: string): RecordWeeks {
  const kept = new WeakMap<RecordRows, Map<string, Promise<Resource>>>();
  return (rows, name) => {
    const pages = kept.get(rows) ?? new Map<string, Promise<Resource>>();
    kept.set(rows, pages);
    const known = pages.get(name);
    if (known !== undefined) return known;
    const { status, html } = pageOf(rows, name, productName);
    const page = compressedResource(html, DOCUMENT_HEADERS, status);
    if (status === 200) pages.set(name, page);
    return page;
  };
}
