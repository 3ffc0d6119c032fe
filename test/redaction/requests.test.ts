import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { askedOf, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { type Documents, openDocuments } from '../documents/workspace.ts';
import { liveEngine } from '../translations/live.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const app = useTestApp({ env, engine: liveEngine(fake) });

const kinds = ['names', 'addresses', 'emails', 'phones', 'accounts', 'national_numbers', 'birth_dates'];
let mine: Documents;
beforeEach(async () => {
  mine = await openDocuments(app);
  fake.requests.length = 0;
  fake.otherwise(translatingReply({ translate: (text) => `Hier steht eine Übersetzung von: ${text}` }));
  await replace({ kinds });
});

const replace = (redaction: object | null) =>
  app.json('PATCH', '/api/tenants/security', { headers: mine.admin, body: { redaction } });

const sent = () => fake.requests.map(({ body }) => JSON.stringify(body.messages)).join('\n');

describe('a text', () => {
  const source = 'Please write to jo.doe@example.org and pay to DE89 3704 0044 0532 0130 00 with 4111 1111 1111 1111.';

  test('is sent with placeholders, and its translation has the real values', async () => {
    const job = await mine.job({ source_text: source, target_lang: 'de' });
    expect(fake.requests.length).toBeGreaterThan(1);
    for (const value of ['jo.doe', '0532', '4111']) expect(sent()).not.toContain(value);
    expect(askedOf(fake.requests[0]!).data.segments[0]!.text).toBe(
      'Please write to Email_1 and pay to Account_1 with Account_2.',
    );
    expect(job.final_translation).toBe(`Hier steht eine Übersetzung von: ${source}`);
    expect(job.request.metadata.redaction).toEqual({ replaced: { emails: 1, accounts: 2 } });
    expect(job.request.source_text).toBe(source);
  });
});
