import { addedCode } from '#server/formats/added-code.ts';
import type { Finding, Segment } from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';

/** Reads and writes text files of one format. */
export function textsOf(
  kind: LayoutKind,
  source: string | Uint8Array,
  targetLanguage = 'de',
  sourceLanguage = 'en',
) {
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source;
  const options = { sourceLanguage, targetLanguage };
  const extract = async () => (await layoutFormats[kind]()).extract(bytes, options);
  const rebuild = async (
    translate: (segment: Segment, at: number) => InlineContent | null,
    needsReview?: (segment: Segment) => boolean,
  ): Promise<{ bytes: Uint8Array; text: string; findings: Finding[] }> => {
    const { segments } = await extract();
    const translations = segments.flatMap((segment, at) => {
      const target = translate(segment, at);
      const { regionId, cellId } = segment;
      return target ? [{ regionId, cellId, target, needsReview: needsReview?.(segment) ?? false }] : [];
    });
    const { bytes: written, findings } = await (await layoutFormats[kind]()).rebuild(
      bytes,
      translations,
      options,
    );
    return { bytes: written, text: new TextDecoder().decode(written), findings };
  };
  return {
    extract,
    rebuild,
    /** The texts without tags, each with its context and its variant as far as it has them. */
    texts: async () =>
      (await extract()).segments.map(({ source }) =>
        source.filter((item) => typeof item === 'string').join(''),
      ),
    /** The file with translations that equal their sources. */
    identity: async () => (await rebuild(({ source }) => source)).text,
    /** The file with `[…]` around each text. */
    pseudo: async () => (await rebuild(({ source }) => ['[', ...source, ']'])).text,
  };
}

/** Whether a translation has no code, which is not written into a file whose source lacks it, and is more than a tag such as `<A>`. */
export const hasNoCode = (translation: string): boolean =>
  addedCode('', translation).length === 0 && !/^(?:<\/?[a-z][^<>]*>|\P{L})*$/iu.test(translation);
