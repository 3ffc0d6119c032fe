import type { Finding } from '#server/formats/document.ts';
import { formatTagged, parseTagged, unwrap } from '#server/formats/inline-content.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { openFile } from './opened-file.ts';

/** The target language of the fidelity report. */
export const targetLanguage = 'fr';

/** The prefix that the stub engine adds to each text. */
export const stubMark = `[${targetLanguage}] `;

/**
 * Translates a file with the stub engine in the same way as a document job. Returns the findings of reading and of
 * writing.
 */
export async function translateByStub(
  kind: LayoutKind,
  bytes: Uint8Array,
): Promise<{ bytes: Uint8Array; findings: Finding[] }> {
  const file = await openFile(kind, bytes);
  const unwrapped = file.segments.map(({ source }) => unwrap(source));
  const { value: replies } = await stubEngine.translate(
    {
      segments: unwrapped.map(({ inner }) => formatTagged(inner)),
      sourceLang: 'en',
      targetLang: targetLanguage,
      textType: 'Plain',
      tone: null,
      gender: null,
      domain: null,
      glossary: [],
      examples: [],
      contextBefore: null,
      hasTags: true,
    },
    { tenantId: '', signal: new AbortController().signal },
  );
  const rebuilt = await file.write(
    (_, index) => {
      const { inner, wrap } = unwrapped[index]!;
      return wrap(parseTagged(replies[index]!, inner)!);
    },
    { targetLanguage },
  );
  return { bytes: rebuilt.bytes, findings: [...file.findings, ...rebuilt.findings] };
}

/** Whether `after` is `before` with the stub's prefix once, directly before the first word. */
export function isTranslatedOnce(before: string, after: string): boolean {
  return after.split(stubMark).length === 2 && after.replace(stubMark, '') === before;
}
