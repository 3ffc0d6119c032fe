import { plainFileName } from './document-kind.ts';

/** What the name of a translated file is made of. */
export interface TranslatedName {
  /** The name of the source file; empty if it has none. */
  sourceName: string;
  sourceLang: string;
  targetLang: string;
  /** The extension of the translation, without its dot. Default: the one of the source. */
  extension?: string;
  /** The page of the source that was translated, if it has several. */
  page?: number | undefined;
  /** Used if nothing is left of the source's name. */
  unnamed: string;
}

/** Bytes of a name. File systems take 255; the rest is for what programs append to it, such as `.part`. */
const longestName = 240;

/** What Windows accepts in no name, and what could break a line or turn the text around. */
const unsafe = /[<>:"|?*\\/\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Names that Windows keeps for devices, whatever follows their first dot. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?=\.|$)/i;

/**
 * Suggests a name for a translated file: `menu.fr.xlsx` for `menu.xlsx` or `menu.en.xlsx`. It differs from the source's name and from the
 * names in other languages, so that saving one overwrites none of them. Every file system accepts it.
 */
export function translatedFileName({
  sourceName,
  sourceLang,
  targetLang,
  extension,
  page,
  unnamed,
}: TranslatedName): string {
  const isSource = (text: string) =>
    sourceLang !== targetLang && text.toLowerCase() === sourceLang.toLowerCase();
  const name = plainFileName(sourceName).trim();
  const [, ownExtension = ''] = /\.(?=\w*[A-Za-z])([A-Za-z0-9]{1,5})$/.exec(name) ?? [];
  // Of `readme.en` it is a language.
  const own = isSource(ownExtension) ? '' : ownExtension;
  const parts = (own === '' ? name : name.slice(0, -own.length - 1)).split('.');
  if (parts.length > 1 && isSource(parts.at(-1) as string)) parts.pop();
  const stem = parts
    .join('.')
    .replaceAll(unsafe, '_')
    .replace(/^[.\s]+/, '');
  const ending = [
    page !== undefined && `-page-${page}`,
    `.${targetLang}`,
    (extension ?? own) && `.${extension ?? own}`,
  ]
    .filter(Boolean)
    .join('');
  const clipped = clipBytes(stem, longestName - ending.length - 1).replace(/[.\s]+$/, '') || unnamed;
  return `${clipped}${ending}`.replace(device, '_$&');
}

/** The first bytes of a text in UTF-8, without a part of a character at the end. */
function clipBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  return encoded.length <= bytes
    ? text
    : encoded
        .subarray(0, bytes)
        .toString()
        .replace(/\ufffd+$/, '');
}
