import { describe, expect, test } from 'vitest';
import { addGlossary, env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { useReviewers } from './reviewers.ts';

let calls = 0;
const count = <T>(value: T) => {
  calls += 1;
  return answered(value);
};
const app = useTestApp({
  env,
  engine: engineOf(async ({ segments }) => count(segments.map((text) => `[fr] ${text}`)), {
    assess: async () => count({ score: 95, issues: [], summary: '' }),
    verify: async () => count({ score: 95, issues: [], summary: '', passed: true }),
  }),
});

const mine = useReviewers(app);

interface Issue {
  severity: string;
  category: string;
  span: string | null;
  explanation: string;
  missing: boolean;
}

/** The issues that are found in a text for a job with this source. */
async function issuesOf(source_text: string, text: string, fields: Fields = {}): Promise<Issue[]> {
  const { id } = await mine.held({ source_text, ...fields });
  return (await mine.call('translations.check', { job_id: id, text })).issues;
}

describe('a plain text', () => {
  const source =
    'Dear {name}, your 25 orders are at https://shop.example/orders now. Please read our <b>terms</b>.';
  const good =
    'Bonjour {name}, vos 25 commandes sont maintenant sur https://shop.example/orders. Veuillez lire nos <b>conditions</b>.';

  test('that keeps everything has no issues', async () => {
    expect(await issuesOf(source, good)).toEqual([]);
  });

  test.each<[string, string, string, boolean]>([
    ['a placeholder is missing', good.replace('{name}', 'à vous'), '{name}', true],
    [
      'a link is missing',
      good.replace('https://shop.example/orders', 'notre site'),
      'https://shop.example/orders',
      true,
    ],
    ['a link is added', `${good} https://evil.example/x`, 'https://evil.example/x', false],
    ['a number is missing', good.replace('25 ', ''), '25', true],
    ['markup is missing', good.replace('</b>', ''), '</b>', true],
  ])('%s', async (_name, text, span, missing) => {
    expect(await issuesOf(source, text)).toContainEqual(
      expect.objectContaining({ span, missing, category: 'accuracy' }),
    );
  });
});

describe('an HTML text', () => {
  const html = { text_type: 'Html' };
  const source =
    '<p>Read <a href="https://shop.example/a">this</a>, {name}.</p><p>Thank you &amp; good bye.</p>';
  const good = '<p>Lisez <a href="https://shop.example/a">ceci</a>, {name}.</p><p>Merci &amp; au revoir.</p>';

  test('that keeps everything has no issues', async () => {
    expect(await issuesOf(source, good, html)).toEqual([]);
  });

  test('a placeholder that moved into another block is missing from its own', async () => {
    const moved = good.replace(', {name}', '').replace('Merci', 'Merci {name}');
    const issues = await issuesOf(source, moved, html);
    expect(issues).toContainEqual(expect.objectContaining({ span: '{name}', severity: 'critical' }));
  });
});

test('terms of the glossary that the text lacks are named', async () => {
  const terms = new File(['invoice,facture\ncustomer,client\n'], 'terms.csv', { type: 'text/csv' });
  await addGlossary(app, mine.founder, { terminology_file: terms });
  const { id } = await mine.held({ source_text: 'The customer has the invoice.' });
  const check = (text: string) => mine.call('translations.check', { job_id: id, text });
  expect(await check('Le client a la facture.')).toEqual({ issues: [], missing_terms: [] });
  const { issues, missing_terms } = await check('Le client a la note.');
  expect(missing_terms).toEqual(['facture']);
  expect(issues).toMatchObject([{ category: 'terminology', severity: 'major' }]);
});

test('no model is asked, and nothing is changed or billed', async () => {
  const job = await mine.held({ source_text: 'Dear {name}' });
  const before = calls;
  await mine.call('translations.check', { job_id: job.id, text: 'Salut' });
  expect(calls).toBe(before);
  expect(await mine.read(job.id)).toEqual(job);
  const records = await mine.sql()`select from usage_records where tenant_id = ${mine.founder.tenantId}`;
  expect(records).toHaveLength(1);
});
