import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useWorkspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const mine = useWorkspace(app);

const german = 'Bitte speichern Sie Ihre Änderungen, bevor Sie diese Seite verlassen.';

/** The warnings about a text, as `code field`. The job must still have them when it is read again. */
async function warned(fields: object, source_text = 'Hello'): Promise<string[]> {
  const { status, body } = await mine.submit({ source_text, target_lang: 'fr', ...fields });
  expect([status, body.detail]).toEqual([200, undefined]);
  expect((await mine.read(body.id)).warnings).toEqual(body.warnings);
  return body.warnings.map(({ code, field }: { code: string; field: string }) => `${code} ${field}`);
}

describe('a job warns of', () => {
  test.each([
    [{ min_quality_score: '90' }, 'min_quality_score', /a string is ignored/],
    [{ min_quality_score: 120 }, 'min_quality_score', /120 counts as 100/],
    [{ max_quality_loop_retries: 2.5 }, 'max_quality_loop_retries', /2.5 counts as 2/],
    [{ debate_rounds: 0 }, 'debate_rounds', /0 counts as 1/],
    [{ candidate_models: ['a', 'b', 'c'] }, 'candidate_models', /at most 2/],
    [{ candidate_models: { a: 1 } }, 'candidate_models', /an object/],
    [{ sensitive: 'false' }, 'sensitive', /counts as true/],
    [{ source_document: 'menu.txt' }, 'source_document', /must be an object/],
  ])('an option of a wrong type or out of range: %j', async (metadata, key, message) => {
    const { body } = await mine.submit({ source_text: 'Hello', target_lang: 'fr', metadata });
    const field = `metadata.${key}`;
    expect(body.warnings).toEqual([
      { code: 'invalid_option', field, message: expect.stringMatching(message) },
    ]);
  });

  test.each(['min_qualty_score', 'min_quality_socre', 'sensitivee', 'minQualityScore', 'candidate-models'])(
    'a key that is a typo of an option: %s',
    async (key) => {
      expect(await warned({ metadata: { [key]: 1 } })).toEqual([`unknown_option metadata.${key}`]);
    },
  );

  test.each([['law'], ['Medicine'], ['legal/contracts'], ['Health Care'], ['finance, retail']])(
    'a domain that looks like one that requires a review, and does not: %s',
    async (domain) => {
      expect(await warned({ domain })).toEqual(['unregulated_domain domain']);
    },
  );

  test('fields that do not exist, source and target in one language, and a source in another one', async () => {
    expect(await warned({ sorce_lang: 'de', min_quality_score: 90, source_lang: 'fr' })).toEqual([
      'unknown_field sorce_lang',
      'unknown_field min_quality_score',
      'same_language target_lang',
    ]);
    expect(await warned({}, german)).toEqual(['source_language_mismatch source_lang']);
  });

  test('nothing that is as it should be, or that is too little to judge', async () => {
    const metadata = {
      min_quality_score: 0,
      max_quality_loop_retries: 5,
      debate_rounds: 3,
      candidate_models: 'a, b',
      sensitive: false,
      score: 1,
      sense: 1,
      customer: 'sensitive',
    };
    expect(await warned({ metadata, domain: ' LEGAL ' })).toEqual([]);
    expect(await warned({ domain: 'lawn care' }, 'Société Générale')).toEqual([]);
  });
});

test('a warning changes no status, and names the fix', async () => {
  const { body } = await mine.submit({ source_text: german, target_lang: 'fr', sorce_lang: 'de' });
  expect(body.status).toBe('published');
  expect(body.warnings.map(({ message }: { message: string }) => message)).toEqual([
    '"sorce_lang" is not a field of this request and is ignored; did you mean source_lang?',
    'the text does not look like English (en) and looks like German (de); send "de" or "auto" as source_lang',
  ]);
});

test('each job of a batch has the warnings of its item and of the batch', async () => {
  const { body } = await mine.submit({
    domain: 'legal',
    inputs: [
      { Text: 'Hello', Targets: [{ Language: 'de', Ton: 'formal' }, { Language: 'en' }] },
      { Text: german, TextTyp: 'Plain', Targets: [{ Language: 'fr' }] },
    ],
  });
  expect(
    body.map(({ warnings }: { warnings: { code: string; field: string }[] }) =>
      warnings.map(({ code, field }) => `${code} ${field}`),
    ),
  ).toEqual([
    ['unknown_field domain', 'unknown_field inputs[0].Targets[0].Ton'],
    ['unknown_field domain', 'same_language inputs[0].Targets[1].Language'],
    [
      'unknown_field domain',
      'unknown_field inputs[1].TextTyp',
      'source_language_mismatch inputs[1].Language',
    ],
  ]);
});

test('a hostile request gets twenty warnings at most, with names of a hundred characters', async () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}${'x'.repeat(500)}`, n]));
  const typos = Object.fromEntries(
    Array.from({ length: 26 }, (_, n) => [`sensitive${String.fromCharCode(97 + n)}`, 1]),
  );
  const { body } = await mine.submit({ source_text: 'Hello', target_lang: 'fr', metadata: typos, ...many });
  expect(body.warnings).toHaveLength(20);
  expect(JSON.stringify(body.warnings).length).toBeLessThan(8000);
});
