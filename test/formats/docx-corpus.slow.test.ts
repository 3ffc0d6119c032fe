import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/docx.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import {
  attribute,
  childOf,
  childrenOf,
  formattingOf,
  isStory,
  keptContent,
  parse,
  partsOf,
  textOf,
  walkStory,
  wordsNotShown,
} from './docx-walk.ts';
import { convertByLibreOffice } from './libreoffice.ts';

const names = corpusNames('docx');

/** A translation in which each letter differs from the source. Translating it again changes each letter again. */
const translate = (source: string): string =>
  source.replace(/\p{L}/gu, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 1));

const rebuilt = new Map<string, Promise<Uint8Array>>();

function translated(name: string, targetLanguage = 'fr'): Promise<Uint8Array> {
  const key = `${name} ${targetLanguage}`;
  const run = async (): Promise<Uint8Array> => {
    const bytes = corpusFile(`docx/${name}`);
    const { segments } = await extract(bytes);
    const translations = segments.map((segment) => ({
      ...segment,
      target: segment.source.map((item) => (typeof item === 'string' ? translate(item) : item)),
    }));
    return (await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage })).bytes;
  };
  const result = rebuilt.get(key) ?? run();
  rebuilt.set(key, result);
  return result;
}

describe.each(names)('%s', (name) => {
  const before = partsOf(corpusFile(`docx/${name}`));
  const stories = Object.keys(before).filter(isStory);

  it('has a segment for each paragraph with letters, and no other', async () => {
    const { segments } = await extract(corpusFile(`docx/${name}`));
    const texts = stories.flatMap((path) =>
      walkStory(parse(before[path]!)).flatMap(({ text }) => (/\p{L}/u.test(text) ? [text.trim()] : [])),
    );
    expect(texts.length).toBeGreaterThan(2);
    expect(segments.map(({ source }) => plainText(source).trim()).sort()).toEqual(texts.sort());
    const keys = segments.map(({ regionId, cellId }) => `${regionId} ${cellId}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('each text is translated once, at its place, with its spaces, tabs and breaks', async () => {
    const after = partsOf(await translated(name));
    for (const path of stories) {
      const texts = (xml: string): string[] => walkStory(parse(xml)).map(({ text }) => text);
      const expected = texts(before[path]!).map((text) => (/\p{L}/u.test(text) ? translate(text) : text));
      expect(texts(after[path]!)).toEqual(expected);
    }
  });

  it('everything else in these parts is there once, in its order', async () => {
    const after = partsOf(await translated(name));
    for (const path of stories)
      expect(keptContent(parse(after[path]!))).toEqual(keptContent(parse(before[path]!)));
  });

  it('a new run has the properties of a run of its paragraph, in the language of the translation', async () => {
    const after = partsOf(await translated(name));
    for (const path of stories) {
      const old = walkStory(parse(before[path]!));
      for (const [index, { runs }] of walkStory(parse(after[path]!)).entries()) {
        const known = old[index]!.runs.flatMap((run) => {
          const bases = childrenOf(run).flatMap((child) => childrenOf(childOf(child, 'rubyBase') ?? child));
          return [run, ...bases].map((each) => formattingOf(each));
        });
        for (const run of runs) expect(known).toContain(formattingOf(run));
        if (/\p{L}/u.test(old[index]!.text))
          for (const run of runs.filter((each) => /\S/.test(textOf(each))))
            expect(attribute(childOf(childOf(run, 'rPr'), 'lang')!, 'val')).toMatch(/^fr-/);
      }
    }
  });

  it('all other parts are the same', async () => {
    const after = partsOf(await translated(name));
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const path of Object.keys(before))
      if (!isStory(path)) expect(after[path] === before[path], path).toBe(true);
  });

  it('in Arabic its translated paragraphs and runs turn, and nothing else changes', async () => {
    const after = partsOf(await translated(name, 'ar'));
    const withoutDirection = (tags: string[]): string[] =>
      tags.filter((tag) => !/^<w:(bidi|pPr)\b/.test(tag));
    for (const path of stories) {
      expect(withoutDirection(keptContent(parse(after[path]!)))).toEqual(
        withoutDirection(keptContent(parse(before[path]!))),
      );
      for (const { element, text, runs } of walkStory(parse(after[path]!))) {
        if (!/\p{L}/u.test(text)) continue;
        expect(childOf(childOf(element, 'pPr'), 'bidi')?.tag).toBe('<w:bidi/>');
        for (const run of runs.filter((each) => /\S/.test(textOf(each))))
          expect(childOf(childOf(run, 'rPr'), 'rtl')?.tag).toBe('<w:rtl/>');
      }
    }
  });
});

it('the same document in the strict namespaces has the same text boxes, controls and changes', async () => {
  const messages = async (name: string): Promise<string[]> =>
    (await extract(corpusFile(`docx/${name}`))).findings.map(({ message }) => message);
  expect(await messages('strict-ooxml.docx')).toEqual(await messages('kitchen-sink.docx'));
  expect(await messages('kitchen-sink.docx')).toEqual([
    '1 text box is not translated',
    '9 content controls are not translated',
    '1 tracked change is not translated',
    '1 result of a field is not translated',
    '1 footnote is not translated',
    '1 endnote is not translated',
    '1 comment is not translated',
    '1 chart is not translated',
    '1 diagram is not translated',
  ]);
});

it('LibreOffice opens every translated file and shows the translated texts', {
  timeout: 240_000,
}, async (context) => {
  const files: Record<string, Uint8Array> = {};
  for (const name of names) files[name] = await translated(name);
  const saved = convertByLibreOffice(files, 'fodt');
  if (!saved) return context.skip('LibreOffice is not installed');
  expect(Object.keys(saved).sort()).toEqual(names);
  for (const name of names) {
    expect(wordsNotShown(files[name]!, Buffer.from(saved[name]!).toString()), name).toEqual([]);
  }
});
