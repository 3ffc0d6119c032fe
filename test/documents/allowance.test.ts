import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openDocuments, recordingEngine } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

beforeEach(() => engine.reset());

describe('A 8.2: the allowance', () => {
  test('holds the characters from admit on, until they are used', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const id = await theirs.queue(['x'.repeat(60)]);
    // Nothing is held before it is known how much.
    await theirs.job({ source_text: 'y'.repeat(10) });
    engine.reply = async ({ segments }) => {
      if (segments[0]?.startsWith('x')) {
        expect((await theirs.submit({ source_text: 'z'.repeat(31), target_lang: 'fr' })).status).toBe(429);
        expect((await theirs.submit({ source_text: 'z'.repeat(30), target_lang: 'fr' })).status).toBe(200);
        expect(await theirs.row(id)).toMatchObject({ stage: 'map_translate', reserved_chars: '60' });
      }
      return ['fr'];
    };
    await theirs.run(id);
    expect(await theirs.row(id)).toMatchObject({ status: 'translated', reserved_chars: '0' });
    expect((await theirs.submit({ source_text: 'z', target_lang: 'fr' })).status).toBe(429);
  });

  test('that has no room ends the job before anything is translated', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const cells = ['x'.repeat(101)];
    const waited = await theirs.send({
      source_document: workbookFile(cells),
      wait: 'true',
      idempotency_key: 'full',
    });
    expect([waited.status, waited.body.error_code]).toEqual([429, 'quota_exceeded']);
    const again = await theirs.send({ source_document: workbookFile(cells), idempotency_key: 'full' });
    expect(again).toMatchObject({
      status: 200,
      body: {
        status: 'failed',
        billable_chars: 0,
        error: expect.any(String),
        failure: {
          code: 'quota_exceeded',
          stage: 'admit',
          retry_attempts: 0,
          transient: false,
          timeout: false,
        },
      },
    });
    expect(again.body.error).toBe(again.body.failure.message);
    expect(engine.asked).toEqual([]);
    expect(await theirs.records()).toEqual([]);
    // And holds nothing.
    expect((await theirs.submit({ source_text: 'z'.repeat(100), target_lang: 'fr' })).status).toBe(200);
  });

  test('of two documents that fit alone and not together admits one', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const ids = [await theirs.queue(['x'.repeat(60)]), await theirs.queue(['y'.repeat(60)])];
    await Promise.all(ids.map((id) => theirs.run(id)));
    const statuses = await Promise.all(ids.map(async (id) => (await theirs.read(id)).status));
    expect(statuses.toSorted()).toEqual(['failed', 'translated']);
  });

  test('of a failed job is free again', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const id = await theirs.queue(['x'.repeat(60)]);
    engine.reply = () => {
      throw new AppError('content_filtered', 'refused');
    };
    await theirs.run(id);
    expect(await theirs.row(id)).toMatchObject({ status: 'failed', reserved_chars: '0', running: false });
    engine.reset();
    expect((await theirs.submit({ source_text: 'z'.repeat(100), target_lang: 'fr' })).status).toBe(200);
  });
});
