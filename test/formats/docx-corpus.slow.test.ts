import { describe, expect, it } from 'vitest';
import type { Segment, SegmentKey } from '#server/formats/document.ts';
import { extract, rebuild } from '#server/formats/docx.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { withoutShare } from './docx-file.ts';
import { characterStyles, formattedSpans, hasSpan, moved } from './docx-formats.ts';
import {
  childOf,
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

/** A translation in which nearly each letter is another one. */
const translate = (source: string): string =>
  source.replace(/\p{L}/gu, (letter) => {
    const next = String.fromCodePoint(letter.codePointAt(0)! + 1);
    return /\p{L}/u.test(next) ? next : letter;
  });

/** The places of the paragraphs of a part that have segments, in order. */
const placesOf = (segments: readonly Segment[], path: string): Set<string> =>
  new Set(
    segments.flatMap(({ place }) =>
      place.startsWith(`${path}, `) && !/(?:field|list|link) \d+$/.test(place)
        ? [place.replace(/, text \d+$/, '')]
        : [],
    ),
  );

/** Whether a finding is about the paragraph at this place. */
const isAt = (message: string, place: string): boolean =>
  message.startsWith(`${place}: `) || message.startsWith(`${place}, text `);

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

  it('has a segment for each paragraph with letters, or for each text between tabs, and no other', async () => {
    const { segments: all } = await extract(corpusFile(`docx/${name}`));
    // The words of fields and controls are in no paragraph.
    const segments = all.filter(({ regionId }) => !/words\d+$/.test(regionId));
    const lettersOf = (text: string): string => text.replace(/\P{L}/gu, '');
    const texts = stories.flatMap((path) =>
      walkStory(parse(before[path]!)).flatMap(({ text }) => (/\p{L}/u.test(text) ? [lettersOf(text)] : [])),
    );
    expect(texts.length).toBeGreaterThan(2);
    const keyOf = ({ regionId, cellId }: SegmentKey): string => `${regionId} ${cellId}`;
    const ofParagraph = Map.groupBy(segments, (segment) => keyOf(segment).replace(/s\d+( null)?$/, '$1'));
    const found = [...ofParagraph.values()].map((parts) =>
      parts.map(({ source }) => lettersOf(plainText(source))).join(''),
    );
    expect(found.sort()).toEqual(texts.sort());
    expect(new Set(segments.map(keyOf)).size).toBe(segments.length);
  });

  it('each formatted text has its formatting wherever it is in the translation, or there is a finding', async () => {
    const bytes = corpusFile(`docx/${name}`);
    const { segments } = await extract(bytes);
    const translations = segments.map((segment) => ({
      ...segment,
      target: moved(segment.source, translate),
    }));
    const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const after = partsOf(result.bytes);
    const lost = result.findings.filter(({ code }) => code === 'formatting_lost');
    const styles = characterStyles(before['word/styles.xml']);
    const missing: string[] = [];
    for (const path of stories) {
      const now = walkStory(parse(after[path]!));
      const places = [...placesOf(segments, path)];
      for (const [index, paragraph] of walkStory(parse(before[path]!)).entries()) {
        const place = /\p{L}/u.test(paragraph.text) ? places.shift() : undefined;
        for (const span of formattedSpans(paragraph, styles))
          if (!hasSpan(now[index]!, { ...span, text: translate(span.text) }, styles))
            if (!lost.some(({ message }) => place && isAt(message, place)))
              missing.push(`${place}: ${span.text}`);
      }
      expect(places).toEqual([]);
    }
    expect(missing).toEqual([]);
    expect(result.findings.filter(({ code }) => code === 'low_segment_quality')).toEqual([]);
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
        for (const run of runs.filter((each) => /\p{L}/u.test(textOf(each))))
          expect(childOf(childOf(run, 'rPr'), 'rtl')?.tag).toBe('<w:rtl/>');
      }
    }
  });
});

it('the same document in the strict namespaces has the same text boxes, controls and changes', async () => {
  const messages = async (name: string): Promise<string[]> =>
    (await extract(corpusFile(`docx/${name}`))).findings.map((finding) => withoutShare(finding).message);
  expect(await messages('strict-ooxml.docx')).toEqual(await messages('kitchen-sink.docx'));
  expect(await messages('kitchen-sink.docx')).toEqual([
    '1 text box is not translated; add `text_boxes` to `include` to translate them',
    '1 WordArt text is not translated',
    '8 content controls are not translated; add `content_controls` to `include` to translate them',
    '1 tracked change is not translated; add `tracked_changes` to `include` to translate them',
    '1 result of a field is not translated',
    '1 footnote is not translated; add `footnotes` to `include` to translate them',
    '1 endnote is not translated; add `endnotes` to `include` to translate them',
    '1 comment is not translated; add `comments` to `include` to translate them',
    '1 chart is not translated; add `charts` to `include` to translate them',
    '1 diagram is not translated',
    '4 pictures are kept; text in pictures is not translated',
  ]);
});

it('LibreOffice opens every file with everything included, and shows its texts', {
  timeout: 240_000,
}, async (context) => {
  const include = layoutKinds.docx.include;
  const files: Record<string, Uint8Array> = {};
  const added: Record<string, string[]> = {};
  for (const name of names) {
    const bytes = corpusFile(`docx/${name}`);
    const byDefault = new Set((await extract(bytes)).segments.map(({ place }) => place));
    const { segments } = await extract(bytes, { include: [...include] });
    const translations = segments.map((segment) => ({
      ...segment,
      target: segment.source.map((item) => (typeof item === 'string' ? translate(item) : item)),
    }));
    const options = { sourceLanguage: 'en', targetLanguage: 'fr', include: [...include] };
    files[name] = (await rebuild(bytes, translations, options)).bytes;
    added[name] = translations.flatMap(({ place, target }) =>
      // Charts are opened by another program in LibreOffice, and are not in the saved text.
      byDefault.has(place) || place.includes('/charts/')
        ? []
        : (plainText(target).match(/[\p{L}\p{M}]+/gu) ?? []),
    );
  }
  const saved = convertByLibreOffice(files, 'fodt');
  if (!saved) return context.skip('LibreOffice is not installed');
  expect(Object.keys(saved).sort()).toEqual(names);
  // LibreOffice does not show the text boxes of strict files.
  for (const name of names.filter((one) => one !== 'strict-ooxml.docx')) {
    const shown = textOf(parse(Buffer.from(saved[name]!).toString())).replace(/\s+/g, '');
    const missing = added[name]!.filter((word) => !shown.includes(word));
    expect(missing, name).toEqual([]);
  }
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
