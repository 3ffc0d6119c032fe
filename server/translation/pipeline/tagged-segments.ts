import { formatTagged, type InlineContent, parseWithoutFormats } from '#server/formats/inline-content.ts';
import { describeLength } from '#server/formats/length-limit.ts';
import type { QualityIssue, Translations, TranslationTask } from '#server/platform/engines/engine.ts';
import { differentPlaceholders, placeholderNote } from '../integrity/placeholder-losses.ts';
import { limitOfRequest, type TextLimit } from '../request.ts';
import { protectWords } from './protected-words.ts';
import type { Assessed, Draft, GroupText, RunText, TaggedSource } from './run.ts';

/** A segment of a document, which is sent with its tags. */
export type TaggedText = RunText & { tagged: TaggedSource };

export function isTagged(text: RunText): text is TaggedText {
  return text.tagged !== undefined;
}

/** Returns the limits of a text: those of its file or request. */
export function limitsOfText({ tagged, request }: RunText): readonly TextLimit[] {
  const limits = tagged?.of.limits ?? [limitOfRequest(request)];
  return limits.filter(({ maxLength }) => maxLength !== null);
}

/** @param codes the placeholders, perhaps with the tags that stand for them */
export function noteOf({ context, limits }: GroupText, codes: string | null): string | null {
  const most = limits.map(
    ({ maxLength, lengthUnit }) =>
      maxLength && `at most ${describeLength(maxLength, lengthUnit ?? 'characters')}`,
  );
  // A long note is cut, so the context comes last.
  return [...most, codes, context].filter(Boolean).join('; ') || null;
}

/** Returns the task for some of the texts of a run. A text without tags is the only one. */
export function taskOfTexts(task: TranslationTask, texts: readonly RunText[]): TranslationTask {
  const tagged = texts.filter(isTagged);
  if (tagged.length === 0) return task;
  const segments = tagged.map((text) => formatTagged(text.tagged.inner));
  const keep = [...new Set(tagged.flatMap(({ text }) => text.task.keep ?? []))];
  return {
    ...task,
    segments,
    notes: tagged.map(({ tagged: { of }, text }) => noteOf(of, placeholderNote(text.task.keep))),
    ...(keep.length > 0 && { keep }),
  };
}

export function draftOf(of: TaggedText, inner: InlineContent, lostTags: boolean): Draft {
  return { of, translations: [formatTagged(inner)], tagged: { source: of.tagged, inner, lostTags } };
}

/**
 * Reads the reply to the repair of a translation. If its tags are broken, this is the previous translation.
 * @param replies for a text without tags the segments of the text, otherwise those of all repaired texts
 * @param index the position among the repaired texts
 */
export function readRepaired({ of, tagged }: Assessed, replies: Translations, index: number): Draft {
  if (!isTagged(of) || !tagged) return { of, translations: replies };
  const inner = parseWithoutFormats(replies[index] ?? '', of.tagged.inner);
  return draftOf(of, inner ?? tagged.inner, tagged.lostTags && !inner);
}

/** The issue of a translation whose positions of tags are guessed. */
export const lostTagsIssue = styleIssue(
  'major',
  'the translation came without the inline tags of the segment, and their positions are guessed',
  'check the positions of links, breaks and fields',
);

const lostFormatIssue = styleIssue(
  'minor',
  'some words lost their formatting in translation',
  'check bold, italic and other formatted words',
);

function styleIssue(severity: 'minor' | 'major', explanation: string, suggestion: string): QualityIssue {
  return { severity, category: 'style', span: null, explanation, suggestion };
}

/** Returns what is wrong with the tags and the words of a draft; nothing for a text without tags. */
export function taggedIssues(draft: Draft, findings: readonly QualityIssue[]): QualityIssue[] {
  return draft.tagged ? [...tagIssues(draft.tagged), ...lostWordIssues(draft, findings)] : [];
}

/** Returns what is wrong with the tags of a translation. */
export function tagIssues({
  source,
  inner,
  lostTags,
}: Pick<NonNullable<Draft['tagged']>, 'inner' | 'lostTags'> & {
  source: { inner: InlineContent };
}): QualityIssue[] {
  if (lostTags) return [lostTagsIssue];
  return inner.filter(isFormat).length < source.inner.filter(isFormat).length ? [lostFormatIssue] : [];
}

/** Maximum number of lost words in a report. */
const maxLostWords = 20;

/** Returns an issue for each protected word that a second or repaired translation lacks, unless a check has found it. */
function lostWordIssues({ of, tagged }: Draft, findings: readonly QualityIssue[]): QualityIssue[] {
  if (!tagged?.source.protectedText) return [];
  const found = new Set([
    ...findings.map(({ span }) => span),
    ...(protectWords(tagged.inner, of.request.source_lang, {
      placeholders: differentPlaceholders(of.text.placeholders),
    })?.words ?? []),
  ]);
  const lost = new Set(tagged.source.protectedText.words.filter((word) => !found.has(word)));
  return [...lost].slice(0, maxLostWords).map((span) => ({
    severity: 'major',
    category: 'accuracy',
    span,
    explanation: `The word ${span} of the source is missing.`,
    suggestion: `Keep ${span} exactly as it is.`,
  }));
}

function isFormat(item: InlineContent[number]): boolean {
  return typeof item !== 'string' && item.format !== undefined;
}
