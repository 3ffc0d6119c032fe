import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { selectModels } from '#server/platform/engines/select.ts';
import { readSettings } from '#server/settings.ts';
import { protectText } from '#server/translation/pipeline/protected-words.ts';
import { useDocuments } from '#test/documents/workspace.ts';
import { addGlossary, env } from '#test/factories.ts';
import { startTranslator } from '#test/fakes/translators.ts';
import { link, paragraph, run, wordFile } from '#test/formats/docx-file.ts';
import { partsOf } from '#test/formats/docx-walk.ts';
import { useTestApp } from '#test/setup/app.ts';
import { hasApertium, installApertium, startApertium } from '../../../examples/apertium.ts';

/** Each engine has its own target language. */
const targets = {
  deepl: 'de',
  azure: 'fr',
  google: 'it',
  libretranslate: 'nl',
  apertium: 'pt-PT',
  real: 'es',
} as const;
const fakes = await Promise.all(
  (['deepl', 'azure', 'google', 'libretranslate', 'apertium'] as const).map(startTranslator),
);
const real = hasApertium() ? await startApertium() : null;
if (!real) console.log(`Apertium is not tested, because it is not installed: ${installApertium}`);
afterAll(() => Promise.all([...fakes.map((fake) => fake.close()), real?.stop()]));

const addresses: [string, string, string][] = [
  ...fakes.map(({ kind, url }): [string, string, string] => [kind, kind, url]),
  ...(real ? [['real', 'apertium', real.address] as [string, string, string]] : []),
];
const ENGINES = JSON.stringify({
  engines: Object.fromEntries(
    addresses.map(([name, kind, url]) => [name, { kind, url, ...(kind !== 'apertium' && { api_key: 'k' }) }]),
  ),
  routes: addresses.map(([name]) => ({ to: targets[name as keyof typeof targets], use: [name] })),
});
const settings = readSettings({ ENGINES, OPENAI_MAX_RETRIES: '0' });
const { engine } = await selectModels(settings, { protect: protectText });
const app = useTestApp({ env, engine });
const mine = useDocuments(app);

const bold = '<w:b/>';
const lineBreak = '<w:r><w:br/></w:r>';
const body =
  paragraph(run('Read the '), link(run('report')), run(' and send 3.5 kg of rice to {name}.')) +
  paragraph(
    run('The '),
    run('contract', bold),
    run(' ends soon.'),
    lineBreak,
    run('Write to me@example.org today.'),
  ) +
  paragraph(run('My brother is '), link(run('happy', bold)), run(' &amp; eats &lt; 5 apples.'));

interface Segment {
  target_text: string;
  quality: { needs_review: boolean; issues: { category: string; explanation: string }[] };
}

async function translate(to: string) {
  const source_document = new File([new Uint8Array(wordFile(body))], 'Letter.docx');
  const { status, body: job } = await mine.send({
    source_document,
    wait: 'true',
    source_lang: 'en',
    target_lang: to,
  });
  expect([status, job.detail]).toEqual([200, undefined]);
  const file = partsOf(new Uint8Array(await (await mine.download(job.id)).arrayBuffer()));
  const { segments } = await mine.segments(job.id);
  return {
    id: job.id as string,
    xml: file['word/document.xml'] as string,
    segments: segments as Segment[],
  };
}

const count = (xml: string, pattern: RegExp) => [...xml.matchAll(pattern)].length;
/** The links, bold runs and line breaks of a file. */
const tagsOf = (xml: string) => [
  count(xml, /<w:hyperlink /g),
  count(xml, /<w:b\/>/g),
  count(xml, /<w:br\/>/g),
];
const explanations = ({ quality: { issues } }: Segment) =>
  issues.map(({ explanation }) => explanation).join();

beforeEach(() => {
  for (const fake of fakes) fake.reset();
});

describe.each(addresses)('a document translated by %s', (name) => {
  const to = targets[name as keyof typeof targets];

  test('has all tags, placeholders and numbers, and each segment needs a review', async () => {
    const { id, xml, segments } = await translate(to);
    expect(tagsOf(xml)).toEqual([2, 2, 1]);
    const text = segments.map(({ target_text }) => target_text).join('\n');
    for (const kept of ['{name}', 'me@example.org', '5', '&', '<']) expect(text).toContain(kept);
    for (const one of segments) {
      expect(explanations(one)).not.toMatch(/inline tags|formatting/);
      expect(one.quality.needs_review).toBe(true);
    }
    // No model could judge the translation again.
    const again = await mine.mutate('recheck', { document_id: id, positions: [0] }, mine.admin);
    expect(again.status).toBe(400);
  });

  test('has a finding for each glossary term that the engine does not use', async () => {
    const terms = new File(['contract,Zzyzx\n'], 'terms.csv', { type: 'text/csv' });
    await addGlossary(app, { bearer: mine.headers } as never, {
      terminology_file: terms,
      source_lang: 'en',
      target_lang: to,
    });
    const { segments } = await translate(to);
    expect(segments[1]!.quality.issues).toContainEqual(expect.objectContaining({ category: 'terminology' }));
  });

  if (name === 'real') return;
  test('has a finding for each tag that the engine loses', async () => {
    const fake = fakes.find(({ kind }) => kind === name)!;
    // No word of the source is left that shows the position of a tag.
    fake.translateWith((text) => text.replaceAll(/<[^<>]*>/g, '').replace(/\p{L}/gu, 'x'));
    const { xml, segments } = await translate(to);
    expect(tagsOf(xml).slice(0, 1)).toEqual([2]);
    for (const [index, lost] of [/inline tags/, /inline tags|formatting/, /inline tags/].entries())
      expect(explanations(segments[index]!)).toMatch(lost);
  });
});
