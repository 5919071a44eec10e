import { describe, expect, it } from 'vitest';
import type { DashboardRows } from '#schema/dashboard.ts';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { mailSettings } from '#tests/support/deliveries.ts';
import { rowsOf, SATURDAY, sampleSignal } from '#tests/support/weekly-signal.ts';
import { makePreview } from './preview.ts';

const preview = (rows: DashboardRows) =>
  makePreview({ rows, origins: [] }, { settings: mailSettings(), at: SATURDAY, to: 'reader@example.org' });

describe('the preview', () => {
  it('is the mail of the current rows, with an invalid unsubscribe link', () => {
    const { refusal, message } = preview(FULL);
    expect(refusal).toBeNull();
    expect(message).toMatchObject({
      subject: sampleSignal().subject,
      to: 'reader@example.org',
      unsubscribeUrl: 'https://signal.example/unsubscribe/preview',
    });
  });

  it('has a mail with the reason if the signal would be withheld', () => {
    const { refusal, message } = preview(rowsOf('2026-11-12T21:00:00Z'));
    expect(refusal?.reason).toMatch(/^The newest market rows are of Thu 12 Nov 2026, close/);
    expect(refusal?.nextStep).toBe('Run collect, or doctor for the reason.');
    expect(message?.text).toContain('As of Thu 12 Nov 2026, close');
  });

  it('has no mail without a verdict', () => {
    expect(preview(EMPTY)).toEqual({
      refusal: expect.objectContaining({ reason: expect.stringMatching(/^No market rows exist/) }),
      message: null,
    });
  });
});
