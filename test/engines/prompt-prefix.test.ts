import { readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openDocuments } from '../documents/workspace.ts';
import { liveEngine } from '../translations/live.ts';

/*
 * Endpoints charge less for the tokens at the beginning of a prompt that equal those of an earlier prompt. The tokens
 * here are words, groups of digits, signs and blanks, which is near to the tokens of models.
 */

const fake = await useFakeOpenAi();
beforeEach(() => {
  fake.otherwise(translatingReply());
  fake.requests.length = 0;
});
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

const tokensOf = (text: string) => text.match(/\p{L}+|\p{N}{1,3}|\s+|[^\p{L}\p{N}\s]/gu) ?? [];

/** The tokens that begin a request and equal those of an earlier request to the same model, and all tokens. */
function countEqual(): { equal: number; total: number } {
  const earlier = new Map<string, string[][]>();
  let [equal, total] = [0, 0];
  for (const { body } of fake.requests) {
    const tokens = tokensOf(body.messages.map(({ content }) => content).join('\n'));
    const others = earlier.get(body.model) ?? [];
    equal += Math.max(0, ...others.map((other) => commonLength(tokens, other)));
    total += tokens.length;
    earlier.set(body.model, [...others, tokens]);
  }
  return { equal, total };
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((token, index) => token !== other[index]);
  return end < 0 ? one.length : end;
}

test('of short texts, most tokens begin an earlier request', async () => {
  const mine = await openDocuments(app);
  const prose = (await readFile('docs/security.md', 'utf8')).replaceAll(/[`*|#[\]()]/g, '');
  const lines = prose
    .split(/(?<=\.)\s/)
    .filter(({ length }) => length > 40 && length < 200)
    .slice(0, 15);
  expect(lines).toHaveLength(15);
  for (const source_text of lines)
    for (const target_lang of ['fr', 'de']) await mine.job({ source_text, target_lang });
  expect(fake.requests.length).toBeGreaterThanOrEqual(lines.length * 6);
  const { equal, total } = countEqual();
  expect(equal / total).toBeGreaterThan(0.8);
});

test('of a document, with all its repairs, eleven times its own tokens have the full price at most', async () => {
  const mine = await openDocuments(app);
  const name = 'form-footnotes-tables.docx';
  const file = new File([new Uint8Array(await readFile(`test/corpus/docx/${name}`))], name);
  expect((await mine.send({ source_document: file, wait: '1' })).status).toBe(200);
  const { equal, total } = countEqual();
  const texts = fake.requests.map(askedOf).filter(({ role }) => role === 'translation');
  const source = texts.flatMap(({ data }) => data.segments.map(({ text }) => text)).join(' ');
  expect((total - equal) / tokensOf(source).length).toBeLessThan(11);
});

test('the groups of a document share the instructions and its headings, and each has its section', async () => {
  const mine = await openDocuments(app);
  const chapters = ['Safety', 'Installation', 'Maintenance'].map((title, chapter) => {
    const text = Array.from(
      { length: 60 },
      (_, n) => `${chapter === 1 ? '**Step**' : 'Step'} ${chapter}.${n} is short.`,
    );
    return `## ${title}\n\n${text.join('\n\n')}`;
  });
  const file = new File([`# The pump\n\n${chapters.join('\n\n')}\n`], 'Jane Doe.md');
  expect((await mine.send({ source_document: file, wait: '1' })).status).toBe(200);
  for (const wanted of ['translation', 'segment_assessment']) {
    const requests = fake.requests.filter((one) => askedOf(one).role === wanted);
    const beginnings = requests.map(({ body }) => {
      const [system, user] = body.messages.map(({ content }) => content);
      return system + user!.slice(0, user!.indexOf(',"section"') + 1 || user!.indexOf(',"segments"') + 1);
    });
    expect([requests.length > 2, new Set(beginnings).size]).toEqual([true, 1]);
    const data = requests.map((one) => askedOf(one).data);
    expect(data[0]!['outline']).toEqual(['The pump', 'Safety', 'Installation', 'Maintenance']);
    const sections = data.map(({ section, segments: [first] }) => [section, first!.text ?? first!.source]);
    expect(sections).toContainEqual(['Installation', expect.stringContaining('Step</1> 1.')]);
    expect(sections).toContainEqual(['Maintenance', expect.stringContaining('Step 2.')]);
  }
  expect(JSON.stringify(fake.requests.map(({ body }) => body))).not.toContain('Jane');
});

test('plain text and HTML share the instructions up to the rule for their type', async () => {
  const mine = await openDocuments(app);
  await mine.job({ source_text: 'Good morning', text_type: 'Plain' });
  await mine.job({ source_text: 'Good evening', text_type: 'Html' });
  const [plain, html] = fake.requests
    .map(({ body }) => body.messages[0]?.content ?? '')
    .filter((system) => system.startsWith('You are a professional translator.'));
  const common = commonLength(tokensOf(plain ?? ''), tokensOf(html ?? ''));
  expect(common / tokensOf(plain ?? '').length).toBeGreaterThan(0.9);
});
