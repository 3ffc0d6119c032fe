import { blocksOf, extractHtml, readBlocks, rebuildHtml } from '#server/formats/html-segments.ts';
import { describeLength, lengthUnitOf } from '#server/formats/length-limit.ts';
import type { TaskStyle, Translations, TranslationTask } from '#server/platform/engines/engine.ts';
import type { OwnPlaceholders } from '../integrity/placeholder-losses.ts';
import { readManner, type TextRequest } from '../request.ts';

/** A request's text as segments to translate, and the function that rebuilds the text from their translations. */
export interface SourceText {
  task: TranslationTask;
  /** For each block, the indexes of its segments. A sentence never extends over several blocks. */
  blocks: readonly (readonly number[])[];
  /** The submitted text if it has no markup, else null. */
  plain: string | null;
  /** The placeholders of the workspace in the segments; missing without patterns. */
  placeholders?: OwnPlaceholders;
  /** The text with each segment replaced by its translation, and the markup unchanged. */
  rebuild(translations: Translations): string;
  /** Returns the segments of a text of the same type, for example of a stored translation. */
  segmentsOf(other: string): string[];
  /** Returns the paragraphs of a text of the same type as people see them, without markup: a limit is about these. */
  paragraphsOf(other: string): string[];
  /**
   * Whether another text has the same markup, so that a stored target cannot add a script to a page. Always true for
   * plain text.
   */
  hasMarkupOf(other: string): boolean;
}

/**
 * Splits a text into segments. In HTML, only text nodes and four attributes are translated.
 * @param style the tenant's style for the target language; null without a style guide
 */
export function readSourceText(request: TextRequest, style: TaskStyle | null = null): SourceText {
  const { source_text: source } = request;
  if (request.text_type !== 'Html')
    return {
      task: taskOf(request, style, [source]),
      blocks: [[0]],
      plain: source,
      rebuild: ([translation]) => translation ?? '',
      segmentsOf: (other) => [other],
      paragraphsOf: (other) => [other],
      hasMarkupOf: () => true,
    };
  const segments = extractHtml(source);
  return {
    task: taskOf(
      request,
      style,
      segments.map(({ text }) => text),
    ),
    blocks: blocksOf(source, segments),
    plain: segments.length === 1 && segments[0]?.text === source.trim() ? source : null,
    rebuild: (translations) => rebuildHtml(source, segments, translations),
    segmentsOf: (other) => extractHtml(other).map(({ text }) => text),
    paragraphsOf: (other) => readBlocks(other).map((block) => block.replace(/[ \t\n\f\r]+/g, ' ')),
    hasMarkupOf: (other) => markupOf(source) === markupOf(other),
  };
}

/** Returns the markup of a page, without the texts. */
function markupOf(page: string): string {
  const texts = extractHtml(page);
  return rebuildHtml(
    page,
    texts,
    texts.map(() => ''),
  ).replace(/\s+/g, '');
}

function taskOf(request: TextRequest, style: TaskStyle | null, segments: string[]): TranslationTask {
  const tone = request.tone ?? null;
  return {
    segments,
    sourceLang: request.source_lang,
    targetLang: request.target_lang,
    textType: request.text_type ?? 'Plain',
    ...readManner(request),
    domain: request.domain ?? null,
    ...notesOf(request, segments.length),
    // The tone of a request is more specific than the formality of the guide.
    ...(style && { style: { ...style, formality: tone === null ? style.formality : null } }),
  };
}

/** Returns the notes of a task: the first segment has the context of the whole text, and its limit. */
function notesOf({ context, max_length: most, length_unit: unit }: TextRequest, segments: number) {
  const limit = most && `at most ${describeLength(most, lengthUnitOf(unit ?? 'characters') ?? 'characters')}`;
  const note = [limit, context].filter(Boolean).join('; ');
  return note === '' || segments === 0
    ? {}
    : { notes: Array.from({ length: segments }, (_, at) => (at === 0 ? note : null)) };
}

/** Joins segments into one text, one segment per line. */
export function joinSegments(segments: readonly string[]): string {
  return segments.length === 1 ? (segments[0] as string) : segments.join('\n');
}
