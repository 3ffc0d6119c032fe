import { Document as DocxDocument, Packer, Paragraph, TextRun } from 'docx';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createOpenAiEmbedder } from '#server/platform/engines/openai/embedder.ts';
import { addStyleGuide, env, type Fields } from '#test/factories.ts';
import { atItsPath, embeddedTexts, embeddings } from '#test/fakes/embeddings.ts';
import { type Asked, askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { type Documents, openDocuments } from '../documents/workspace.ts';
import { setsOf } from '../translation-memory/sets.ts';
import { liveEngine } from '../translations/live.ts';
import { compact } from './compact.ts';
import { type Letter, letterKinds, makeLetters } from './letters.ts';

const fake = await useFakeOpenAi();
const app = useTestApp({ env, engine: liveEngine(fake) });

let mine: Documents;
beforeEach(async () => {
  mine = await openDocuments(app);
  fake.requests.length = 0;
  fake.otherwise(german());
  await replace({ kinds: letterKinds });
});

const prefix = 'Hier steht eine Übersetzung von: ';
const german = (options: Parameters<typeof translatingReply>[0] = {}) =>
  translatingReply({ translate: (text) => `${prefix}${text}`, ...options });

const replace = (redaction: unknown) =>
  app.json('PATCH', '/api/tenants/security', { headers: mine.admin, body: { redaction } });

const asked = (role: Asked['role']) =>
  fake.requests.map((one) => askedOf(one)).filter((one) => one.role === role);

/** The planted values that a request contains, however they are written. */
function leaks(values: readonly string[]): string[] {
  const sent = fake.requests.map(({ body }) => compact(JSON.stringify(body)));
  return values.filter((value) => sent.some((text) => text.includes(compact(value))));
}

describe('a text', () => {
  const source =
    'Please write to jo.doe@example.org and pay to DE89 3704 0044 0532 0130 00 with 4111 1111 1111 1111.';

  test('is sent with placeholders; job, record and receipt have the real values and what was replaced', async () => {
    const job = await mine.job({ source_text: source, target_lang: 'de' });
    expect(fake.requests.length).toBeGreaterThan(1);
    expect(leaks(['jo.doe', '0532 0130', '4111 1111'])).toEqual([]);
    expect(asked('translation')[0]!.data.segments[0]!.text).toBe(
      'Please write to Email_1 and pay to Account_1 with Account_2.',
    );
    expect(job).toMatchObject({ status: 'published', final_translation: prefix + source });
    expect(job.request.metadata.redaction).toEqual({ replaced: { emails: 1, accounts: 2 } });
    expect(await (await mine.golden(job.id)).text()).toContain('jo.doe@example.org');
  });

  test('gets the rules with what is read for it anyway: they cost no transaction', async () => {
    // The first job of a key records its use, and reads the engine of the workspace.
    await mine.job({ source_text: source, target_lang: 'fr' });
    const begun = vi.spyOn(app.services.database, 'inTenant');
    await mine.job({ source_text: source, target_lang: 'it' });
    expect(leaks(['jo.doe'])).toEqual([]);
    // The transaction that completes the job.
    expect(begun).toHaveBeenCalledOnce();
    begun.mockRestore();
  });

  test('has the same placeholder for a name however it is written, with the gender, and gets back each spelling', async () => {
    const text =
      'Dear Ms. Zyxella Quarnby, ZYXELLA QUARNBY and zyxella\u00a0quarnby are you; Quarnby too. I met Mr. O’Brïen and O’Brïen’s son.';
    const job = await mine.job({ source_text: text, target_lang: 'de' });
    const [{ data }] = asked('translation') as [Asked];
    expect(data.segments[0]!.text).toBe(
      'Dear Ms. Person_1, Person_1 and Person_1 are you; Person_1 too. I met Mr. Person_2 and Person_2’s son.',
    );
    expect(JSON.stringify(data['style_guide'])).toContain('Women: Person_1. Men: Person_2.');
    expect(job.final_translation).toBe(prefix + text);
  });

  test('does not leave in escapes, addresses of the web, decomposed, or divided by tags', async () => {
    const name = 'Zyxéla Quarnby';
    const text = [
      `Dear Mrs. ${name}, `,
      name.normalize('NFD'),
      'https://example.org/people/zyxela-quarnby?name=Zyx%C3%A9la%20Quarnby&mail=jo%40example.org',
      '{"name": "Zyx\\u00e9la Quarnby", "iban": "DE89\\u00a03704 0044\\u202f0532 0130 00"}',
      'Zyx&#233;la&nbsp;Quarnby, Zyx<b>éla</b> Qu\u00adarn\u200bby, ４１１１ 1111 1111 1111',
    ].join('\n');
    const job = await mine.job({ source_text: text, target_lang: 'de' });
    expect(leaks([name, 'quarnby', 'jo@example.org', 'DE89370400440532013000', '4111111111111111'])).toEqual(
      [],
    );
    expect(job.final_translation).toBe(prefix + text);
    fake.requests.length = 0;
    const page = `<p>Dear Mrs. <b>Zyxéla</b> <i>Quarnby</i>, call <a href="#">+49 30</a> 1234567.</p>`;
    await mine.job({ source_text: page, text_type: 'Html', target_lang: 'de' });
    expect(fake.requests.length).toBeGreaterThan(0);
    expect(leaks(['Zyxéla', 'Quarnby', '1234567'])).toEqual([]);
  });

  test('keeps words of the text that look like a placeholder', async () => {
    const text = 'The word Email_1 stays, and jo@example.org is replaced.';
    const job = await mine.job({ source_text: text, target_lang: 'de' });
    expect(asked('translation')[0]!.data.segments[0]!.text).toBe(
      'The word Email_1 stays, and Email_2 is replaced.',
    );
    expect(job.final_translation).toBe(prefix + text);
  });
});

describe('a placeholder that the model', () => {
  const source = 'Please write to jo@example.org about the contract.';
  const wrong: [string, (text: string) => string][] = [
    ['loses', (text) => text.replace(/Email_1/, 'Ihnen')],
    ['doubles', (text) => text.replace(/Email_1/, 'Email_1 und Email_1')],
    ['invents', (text) => `${text} Person_7`],
  ];
  test.each(wrong)('%s is repaired', async (_, change) => {
    fake.otherwise(
      german({ translate: (text) => change(prefix + text), repair: (__, ___, text) => prefix + text }),
    );
    const job = await mine.job({ source_text: source, target_lang: 'de' });
    expect(asked('repair')[0]!.data.issues[0]).toMatchObject({ severity: 'critical' });
    expect(job).toMatchObject({ status: 'published', final_translation: prefix + source });
    expect(leaks(['jo@example.org'])).toEqual([]);
  });

  test.each(wrong)('%s for good is never published without a review', async (_, change) => {
    fake.otherwise(german({ translate: (text) => change(prefix + text), repair: (text) => text }));
    const job = await mine.job({ source_text: source, target_lang: 'de' });
    expect(job.status).toBe('awaiting_review');
    expect(job.quality_assessment.issues).toContainEqual(expect.objectContaining({ severity: 'critical' }));
  });
});

const finding = (span: string) => ({
  ...{ severity: 'major' as const, category: 'fluency' as const, span },
  explanation: `“${span}” reads oddly.`,
  suggestion: `Write ${span}.`,
});

test('every field of every request is searched: terms, examples, guides, options, notes, candidates and findings', async () => {
  const name = 'Zyxela Quarnby';
  const sets = setsOf(app, mine.headers);
  await sets.glossary([
    'source,target,source_lang,target_lang,note',
    `contract,Vertrag,en,de,ask ${name} or jo@example.org`,
  ]);
  await sets.memory(
    [[`Mrs. ${name} signed the contract today.`, `Frau ${name} hat den Vertrag heute unterschrieben.`]],
    {
      target_lang: 'de',
    },
  );
  await addStyleGuide(
    app,
    { bearer: mine.admin },
    {
      target_lang: 'de',
      rules: `Ask Mrs. ${name}.`,
      forbidden_words: [{ term: name, use_instead: 'jo@example.org' }],
    },
  );
  fake.otherwise(
    german({
      score: ({ role }) => (role === 'verification' ? 95 : 70),
      issues: ({ role, data }) =>
        role === 'assessment' ? [finding(data.segments[0]!.translation.slice(-20))] : [],
    }),
  );
  const body = {
    ...{ source_text: `Mrs. ${name} signed the contract.`, target_lang: 'de' },
    ...{ domain: `letters of Mrs. ${name}`, tone: 'formal', metadata: { candidate_models: ['rival-1'] } },
  };
  await mine.job(body);
  const note = `#. Ask Mrs. ${name}\nmsgid "The first text about the contract."\nmsgstr ""\n\nmsgid "Mrs. ${name} wrote."\nmsgstr ""\n`;
  await mine.send({ source_document: new File([note], 'a.po'), target_lang: 'de', wait: 'true' });
  const roles = new Set(fake.requests.map((one) => askedOf(one).role));
  expect(roles).toEqual(
    new Set(['translation', 'comparison', 'assessment', 'segment_assessment', 'repair', 'verification']),
  );
  const { data } = asked('translation')[0]!;
  expect(data['examples']).toMatchObject([{ source: 'Mrs. Person_1 signed the contract today.' }]);
  expect(leaks([name, 'quarnby', 'jo@example.org'])).toEqual([]);
});

test('own patterns and terms are replaced, in embeddings too; null turns the replacement off', async () => {
  const invalid: [unknown, string][] = [
    [{ kinds: [], patterns: ['('] }, 'patterns'],
    [{ kinds: [], patterns: ['CN', 'x*'] }, '"patterns",1'],
    [{ kinds: [], patterns: ['\\pL{1000}'] }, 'at most 4000 are allowed'],
    [{ kinds: [], patterns: Array(20).fill('\\pL{390}') }, 'at most 20000 are allowed'],
    [{ kinds: ['shoe_sizes'] }, 'kinds'],
    [{ kinds: [], terms: Array.from({ length: 101 }, (_, at) => `term ${at}`) }, 'terms'],
  ];
  for (const [rules, field] of invalid) {
    const { status, body } = await replace(rules);
    expect([status, JSON.stringify(body.detail)]).toEqual([422, expect.stringContaining(field)]);
  }
  await replace({ kinds: [], patterns: ['CN-[0-9]{6}'], terms: ['Project Nightingale'] });
  const source = 'The project nightingale has the number CN-123456 and the mail jo@example.org.';
  const job = await mine.job({ source_text: source, target_lang: 'de' });
  expect(asked('translation')[0]!.data.segments[0]!.text).toBe(
    'The Term_1 has the number Value_1 and the mail jo@example.org.',
  );
  expect(job.request.metadata.redaction).toEqual({ replaced: { terms: 1, patterns: 1 } });
  const { withRedaction } = await import('#server/redaction/redacted-models.ts');
  const embedder = createOpenAiEmbedder({
    ...{ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: fake.baseUrl, OPENAI_EMBEDDING_MODEL: 'near-1' },
    ...{ OPENAI_TIMEOUT_SECONDS: 20, OPENAI_MAX_RETRIES: 0 },
  } as never);
  fake.otherwise(atItsPath(embeddings(), german()));
  const wrapped = withRedaction({ ...app.services, embedder });
  await wrapped.embedder!.embed([source, source.toUpperCase()], { tenantId: mine.tenantId });
  expect(embeddedTexts(fake.requests).slice(-2)[0]).toBe(
    'The Term_1 has the number Value_1 and the mail jo@example.org.',
  );
  expect(leaks(['nightingale', 'CN-123456'])).toEqual([]);
  expect((await replace(null)).body.metadata.redaction).toBeNull();
  const other = await mine.job({ source_text: `${source} Now.`, target_lang: 'de' });
  expect(other.request.metadata.redaction).toBeUndefined();
  const audit = await app.json('GET', '/api/audit', { headers: mine.admin });
  expect(JSON.stringify(audit.body)).not.toContain('Nightingale');
});

/** A document of letters, in which bold words begin and end within personal data. */
async function docxOf(letters: readonly Letter[]): Promise<File> {
  const children = letters.flatMap(({ text, planted }) =>
    text.split('\n').map((line) => {
      const value = planted.find((one) => line.includes(one.text))?.text;
      const middle = value ? line.indexOf(value) + Math.ceil(value.length / 2) : 0;
      const runs = [line.slice(0, middle), line.slice(middle)].filter(Boolean);
      return new Paragraph({ children: runs.map((run, at) => new TextRun({ text: run, bold: at === 1 })) });
    }),
  );
  const bytes = await Packer.toBuffer(new DocxDocument({ sections: [{ children }] }));
  return new File([new Uint8Array(bytes)], 'letters.docx');
}

/** Words that only a title or a given name marks as a name are not searched without it. */
const wholeValues = (letters: readonly Letter[]) =>
  letters.flatMap(({ planted }) => planted.flatMap(({ text }) => (compact(text).length > 5 ? text : [])));

test('a value in a heading, which all groups of a document get, is replaced', async () => {
  const lines = Array.from({ length: 100 }, (_, at) => `The invoice of week ${at} was paid by the buyer.`);
  const file = new File([`# Letter to Mrs. Quarnby\n\n${lines.join('\n\n')}\n`], 'letter.md');
  const fields = { source_document: file, source_lang: 'en', target_lang: 'de', wait: 'true' };
  expect((await mine.send(fields)).status).toBe(200);
  const outlines = asked('translation').map(({ data }) => JSON.stringify(data['outline']));
  expect(outlines.length).toBeGreaterThan(1);
  expect(new Set(outlines)).toEqual(new Set(['["Letter to Mrs. Person_1"]']));
  expect(leaks(['Quarnby'])).toEqual([]);
});

test('no request for letters in eight languages contains a planted value, and no translation loses one', async () => {
  const letters = makeLetters(Number(process.env['LETTERS'] ?? 32), 7);
  for (const { language, text } of letters) {
    const target = language === 'de' ? 'en' : 'de';
    const source_lang = language === 'pt' ? 'pt-BR' : language;
    const job = await mine.job({ source_text: text, source_lang, target_lang: target });
    expect(job.final_translation).toBe(prefix + text);
  }
  expect(leaks(wholeValues(letters))).toEqual([]);
});

test('no request for a document with tags contains a planted value, and its translation has all tags and values', async () => {
  const letters = makeLetters(Number(process.env['LETTERS'] ?? 32), 8).filter(
    ({ language }) => language === 'en',
  );
  const { status, body } = await mine.send({
    source_document: await docxOf(letters),
    ...{ source_lang: 'en', target_lang: 'de', wait: 'true' },
  });
  expect([status, body.detail]).toEqual([200, undefined]);
  expect(leaks(wholeValues(letters))).toEqual([]);
  const { segments } = await mine.segments(body.id, '?limit=500');
  for (const { source_text, target_text, issues = [] } of segments as Fields[]) {
    expect(target_text).toBe(prefix + source_text);
    expect(issues).toEqual([]);
  }
  expect(segments.some((one: Fields) => JSON.stringify(one).includes('"redaction":{"replaced":{"'))).toBe(
    true,
  );
});

test('a name that one segment of a document shows is replaced in all of its requests', async () => {
  const others = Array.from({ length: 150 }, (_, at) => `The invoice of week ${at} was paid by the buyer.`);
  const { id } = await mine.translate(['Quarnby paid the bill yesterday.', ...others, 'Dear Mrs. Quarnby,'], {
    source_lang: 'en',
    target_lang: 'de',
  });
  expect(asked('translation').length).toBeGreaterThan(1);
  const [first] = (await mine.segments(id)).segments;
  expect(first.target_text).toBe(`${prefix}Quarnby paid the bill yesterday.`);
  expect(leaks(['Quarnby'])).toEqual([]);
});
