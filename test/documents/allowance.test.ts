import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openDocuments, recordingEngine } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

beforeEach(() => engine.reset());

describe('the allowance (A 8.2)', () => {
  test('holds the characters from admit on, until they are used', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const id = await theirs.queue(['x'.repeat(60)]);
    // Nothing is reserved until the number of characters is known.
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

  test('admits a document that is larger than the room left whole, and then nothing more', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    await theirs.job({ source_text: 'y'.repeat(99) });
    const sent = await theirs.send({ source_document: workbookFile(['x'.repeat(300)]), wait: 'true' });
    expect(sent).toMatchObject({ status: 200, body: { status: 'translated', billable_chars: 300 } });
    expect((await theirs.submit({ source_text: 'z', target_lang: 'fr' })).status).toBe(429);
  });

  test('without any room rejects a document before there is a job, but not a resend', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const form = { source_document: workbookFile(['x'.repeat(100)]), idempotency_key: 'first' };
    const first = await theirs.send({ ...form, wait: 'true' });
    for (const wait of [undefined, 'true']) {
      const refused = await theirs.send({
        source_document: workbookFile(['y']),
        wait,
        idempotency_key: 'next',
      });
      expect([refused.status, refused.body]).toEqual([
        429,
        refusalOf(expect.stringMatching(/^tenant usage limit exceeded/)),
      ]);
    }
    expect((await theirs.listDocuments()).body).toHaveLength(1);
    expect((await theirs.send(form)).body.id).toBe(first.body.id);
  });

  test('that has no room left ends the job before anything is translated', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const form = { source_document: workbookFile(['x']), idempotency_key: 'full' };
    const { body: queued } = await theirs.send(form);
    await theirs.job({ source_text: 'y'.repeat(100) });
    engine.reset();
    await theirs.run(queued.id);
    const again = await theirs.send(form);
    expect(again).toMatchObject({
      status: 200,
      body: {
        id: queued.id,
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
    expect(await theirs.row(queued.id)).toMatchObject({ reserved_chars: '0' });
    expect(await theirs.records()).toHaveLength(1);
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
