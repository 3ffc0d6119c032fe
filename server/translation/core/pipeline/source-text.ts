import { blocksOf, extractHtml, rebuildHtml } from '#server/formats/html-segments.ts';
import type { Translations, TranslationTask } from '#server/platform/engines/engine.ts';
import type { TextRequest } from '../request.ts';

/** A request's text as segments to translate, and the function that rebuilds the text from their translations. */
export interface SourceText {
  task: TranslationTask;
  /** Indexes of the segments of each block. A sentence never crosses blocks. */
  blocks: readonly (readonly number[])[];
  /** The submitted text if it has no markup, else null. */
  plain: string | null;
  /** The text with each segment replaced by its translation, and the markup unchanged. */
  rebuild(translations: Translations): string;
}

/** Splits a text into segments. Of HTML, only text nodes and four attributes are translated (B 2.1 text_type). */
export function readSourceText(request: TextRequest): SourceText {
  const { source_text: source } = request;
  if (request.text_type !== 'Html')
    return {
      task: taskOf(request, [source]),
      blocks: [[0]],
      plain: source,
      rebuild: ([translation]) => translation ?? '',
    };
  const segments = extractHtml(source);
  return {
    task: taskOf(
      request,
      segments.map(({ text }) => text),
    ),
    blocks: blocksOf(source, segments),
    plain: segments.length === 1 && segments[0]?.text === source.trim() ? source : null,
    rebuild: (translations) => rebuildHtml(source, segments, translations),
  };
}

function taskOf(request: TextRequest, segments: string[]): TranslationTask {
  return {
    segments,
    sourceLang: request.source_lang,
    targetLang: request.target_lang,
    textType: request.text_type ?? 'Plain',
    tone: request.tone ?? null,
    gender: request.gender ?? null,
    domain: request.domain ?? null,
  };
}

/** Segments as one text, one per line. */
export function joinSegments(segments: readonly string[]): string {
  return segments.length === 1 ? (segments[0] as string) : segments.join('\n');
}
