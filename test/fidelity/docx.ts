import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import {
  childOf,
  childrenOf,
  type Element,
  formattingOf,
  isStory,
  keptContent,
  parse,
  partsOf,
  textOf,
  walkStory,
  wordsNotShown,
} from '#test/formats/docx-walk.ts';
import { convertByLibreOffice } from '#test/formats/libreoffice.ts';
import { changedEntries } from '#test/formats/office-zip.ts';
import type { Comparison, FileFidelity, OfficeFormat } from './office.ts';
import { countEach } from './report.ts';
import { isTranslatedOnce, stubMark, translateByStub } from './stub-translation.ts';

export const docxFidelity: OfficeFormat = {
  title: 'DOCX',
  judge: 'LibreOffice',
  notes: `*Found* are paragraphs with letters in main text, tables, headers and footers. *Kept* are all other texts with letters in the package:

| where | why it is kept |
|---|---|
| text boxes, content controls, tracked changes, footnotes, endnotes, comments | not translated; the findings count them |
| fields | Word computes the result; the findings count them |
| charts, diagrams, hidden text | not part of the body text; the findings count them |
| labels of lists, such as \`Article %1\` | patterns for a number, without the text that follows; the findings count those with words |
| formulas | their letters are symbols |
| fallbacks | \`mc:Fallback\` repeats a text box for old programs |
| building blocks | inserted by the user, not part of the document |
| reading aids | pronunciation of Japanese words, left out with these |

In changed parts, all start tags with their attributes and all other texts are compared in order. *Run formatting* counts translated runs; each must
have the \`rPr\` of a run of its paragraph, except for the language.`,
  measure: () =>
    Promise.all(corpusNames('docx').map((name) => measureFile(name, corpusFile(`docx/${name}`)))),
  open: (files) => {
    const saved = convertByLibreOffice(
      Object.fromEntries(files.map(({ name, translated }) => [name, translated])),
      'fodt',
    );
    if (!saved) return null;
    return new Map(
      files.map(({ name, translated }) => {
        const fodt = saved[name];
        return [
          name,
          fodt !== undefined && wordsNotShown(translated, Buffer.from(fodt).toString()).length === 0,
        ];
      }),
    );
  },
};

export async function measureFile(name: string, source: Uint8Array): Promise<FileFidelity> {
  const { bytes, findings } = await translateByStub('docx', source);
  const [before, after] = [partsOf(source), partsOf(bytes)];
  const names = Object.keys(before);
  const stories = names.filter(isStory).map((part) => [parse(before[part]!), parse(after[part]!)] as const);
  const pairs = stories.flatMap(([old, now]) => pairParagraphs(old, now));
  const texts = pairs.filter(([old]) => /\p{L}/u.test(old.text));
  return {
    name,
    translated: bytes,
    found: texts.length,
    translatedOnce: texts.filter(([old, now]) => isTranslated(old.text, now?.text ?? '')).length,
    kept: countEach(names.flatMap((part) => keptTexts(part, before[part]!))),
    parts: names.length,
    changedParts: changedEntries(source, bytes).length,
    comparisons: [
      ...compareTags(stories),
      {
        kind: 'texts that stay',
        before: pairs.flatMap(([old]) => (texts.some(([one]) => one === old) ? [] : [old.text])),
        after: pairs.flatMap(([old, now]) => (texts.some(([one]) => one === old) ? [] : [now?.text ?? ''])),
      },
      compareFormatting(texts),
    ],
    findings,
  };
}

/**
 * Whether a paragraph is translated once, from its first text with letters. Texts between tabs may be segments of their
 * own, so each of them may have the prefix of the stub.
 */
function isTranslated(before: string, after: string): boolean {
  const [old, now] = [before, after].map((text) => text.split('\t')) as [string[], string[]];
  const first = old.findIndex((text) => /\p{L}/u.test(text));
  return (
    old.length === now.length &&
    now.every((text, index) => {
      const own = old[index]!;
      return text === own ? index !== first : isTranslatedOnce(own, text) || isTranslatedAtBlanks(own, text);
    })
  );
}

/** A blank of a form: a line, or spaces. */
const blank = /_{3,}|\.{5,}|…{2,}|[ \u00a0]{4,}/;

/** Whether each label next to a blank is translated once at most. The length of a blank follows its label. */
function isTranslatedAtBlanks(before: string, after: string): boolean {
  const withoutLengths = (text: string) =>
    text.replaceAll(/[ \u00a0]+/g, ' ').replaceAll(/([_.…])\1+/g, '$1');
  const labels = before.split(blank).filter((text) => /\p{L}/u.test(text)).length;
  const pieces = after.split(stubMark);
  return (
    blank.test(before) &&
    pieces.length > 1 &&
    pieces.length <= labels + 1 &&
    withoutLengths(pieces.join('')) === withoutLengths(before)
  );
}

type Walked = ReturnType<typeof walkStory>[number];

/** Pairs each paragraph of a part with the paragraph at the same place in the translation. */
function pairParagraphs(before: Element, after: Element): [Walked, Walked | undefined][] {
  const now = walkStory(after);
  return walkStory(before).map((paragraph, index) => [paragraph, now[index]]);
}

/** The kinds of start tags, by their purpose for a reader. The first kind that contains a tag counts. */
const tagKinds: readonly [kind: string, names: string][] = [
  ['paragraphs, tables', 'p tbl tr tc'],
  ['links', 'hyperlink'],
  ['fields', 'fldChar fldSimple instrText'],
  ['bookmarks', 'bookmarkStart bookmarkEnd'],
  ['breaks, tabs', 'br cr tab ptab lastRenderedPageBreak'],
  ['pictures, objects', 'drawing pict object'],
  [
    'notes, comments',
    'footnoteReference endnoteReference commentReference commentRangeStart commentRangeEnd',
  ],
  ['styles, numbering', 'pStyle numId ilvl jc tblStyle'],
];

function compareTags(stories: readonly (readonly [Element, Element])[]): Comparison[] {
  const [before, after] = [0, 1].map((side) => stories.flatMap((story) => keptContent(story[side]!)));
  const of = (content: readonly string[], wanted: (name: string) => boolean): string[] =>
    content.filter((item) => wanted(/^<(?:w:)?([^\s/>]+)/.exec(item)?.[1] ?? ''));
  const comparison = (kind: string, wanted: (name: string) => boolean): Comparison => ({
    kind,
    before: of(before!, wanted),
    after: of(after!, wanted),
  });
  return [
    ...tagKinds.map(([kind, names]) => comparison(kind, (name) => names.split(' ').includes(name))),
    comparison('all tags and other texts', () => true),
  ];
}

/** For each run with translated text: its properties, if no run of the original paragraph has these properties. */
function compareFormatting(pairs: readonly [Walked, Walked | undefined][]): Comparison {
  const written: string[] = [];
  const unknown: string[] = [];
  for (const [old, now] of pairs) {
    const known = old.runs.flatMap((run) => {
      const bases = childrenOf(run).flatMap((child) => childrenOf(childOf(child, 'rubyBase') ?? child));
      return [run, ...bases].map((each) => formattingOf(each));
    });
    for (const run of new Set(now?.runs)) {
      const properties = formattingOf(run);
      written.push(properties);
      unknown.push(known.includes(properties) ? properties : 'formatting that no run had');
    }
  }
  return { kind: 'run formatting', before: written, after: unknown };
}

/** Parts that contain texts outside of the document's body. */
const keptParts: readonly [RegExp, string][] = [
  [/^word\/footnotes\.xml$/, 'footnotes'],
  [/^word\/endnotes\.xml$/, 'endnotes'],
  [/^word\/comments\.xml$/, 'comments'],
  [/^word\/charts\//, 'charts'],
  [/^word\/diagrams\//, 'diagrams'],
  [/^word\/glossary\//, 'building blocks'],
];

/** Elements whose text is not translated, by their names without a prefix. */
const keptElements: ReadonlyMap<string, string> = new Map([
  ['Fallback', 'fallbacks'],
  ['txbxContent', 'text boxes'],
  ['sdt', 'content controls'],
  ['ins', 'tracked changes'],
  ['del', 'tracked changes'],
  ['moveFrom', 'tracked changes'],
  ['moveTo', 'tracked changes'],
  ['oMath', 'formulas'],
  ['rt', 'reading aids'],
  ['fldSimple', 'fields'],
]);

/** The untranslated texts in a part, by place. */
function keptTexts(part: string, xml: string): string[] {
  if (!part.endsWith('.xml')) return [];
  const root = parse(xml);
  const places = new Map<Element, string>();
  const translated = new Set<Element>();
  for (const { text, runs, fieldRuns, hiddenRuns } of isStory(part) ? walkStory(root) : []) {
    if (/\p{L}/u.test(text)) for (const run of runs) translated.add(run);
    for (const run of fieldRuns) places.set(run, 'fields');
    for (const run of hiddenRuns) places.set(run, 'hidden text');
  }
  const found: string[] = [];
  const walk = (element: Element, place: string | undefined): void => {
    for (const child of childrenOf(element)) {
      const local = child.name.slice(child.name.indexOf(':') + 1);
      if (/^(?:t|delText|[am]:t)$/.test(child.name)) {
        if (/\p{L}/u.test(textOf(child)) && place !== 'translated') found.push(place ?? 'elsewhere');
      } else {
        const own = translated.has(child) ? 'translated' : (places.get(child) ?? keptElements.get(local));
        // The outermost element determines the place. Other content within a translated run is not translated.
        walk(child, place === undefined || place === 'translated' ? (own ?? place) : place);
      }
    }
  };
  walk(root, keptParts.find(([pattern]) => pattern.test(part))?.[1]);
  return found;
}
