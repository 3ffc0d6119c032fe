import { plainFileName } from './document-kind.ts';

/** The parts of the name of a translated file. */
export interface TranslatedName {
  /** The name of the source file; empty if it has none. */
  sourceName: string;
  sourceLang: string;
  targetLang: string;
  /** The extension of the translation, without the dot. Default: that of the source. */
  extension?: string;
  /** The translated page of the source, if it has several. */
  page?: number | undefined;
  /** Used if the source's name has no usable characters. */
  unnamed: string;
}

/** The maximum length of a name in bytes. File systems allow 255; programs need the rest for suffixes such as `.part`. */
const maxNameBytes = 240;

/** Characters that Windows does not allow in names, and those that break a line or change the text direction. */
const unsafe = /[<>:"|?*\\/\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Names that Windows reserves for devices, with any extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?=\.|$)/i;

/**
 * Suggests a name for a translated file: `menu.fr.xlsx` for `menu.xlsx` or `menu.en.xlsx`. It differs from the source's name
 * and from the names in other languages, so that saved files do not overwrite each other. Every file system accepts it.
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
  // In `readme.en` the extension is a language.
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
  const clipped = clipBytes(stem, maxNameBytes - ending.length - 1).replace(/[.\s]+$/, '') || unnamed;
  return `${clipped}${ending}`.replace(device, '_$&');
}

/** Returns the first bytes of a text in UTF-8, without an incomplete character at the end. */
function clipBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  return encoded.length <= bytes
    ? text
    : encoded
        .subarray(0, bytes)
        .toString()
        .replace(/\ufffd+$/, '');
}
