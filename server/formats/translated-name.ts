import { plainFileName } from './document-kind.ts';

/** The data from which the name of a translated file is made. */
interface TranslatedName {
  /** The name of the source file; empty if the source has no name. */
  sourceName: string;
  sourceLang: string;
  targetLang: string;
  /**
   * The extension of the translated file, without the dot. By default, the extension of the source; a template of gettext
   * (`.pot`) becomes a catalog.
   */
  extension?: string;
  /** The number of the translated page, if the source has several pages. */
  page?: number | undefined;
  /** The name without extension that is used if the source's name has no usable characters. */
  unnamed: string;
}

/**
 * The maximum length of a name in bytes. File systems allow 255; the rest is for suffixes that programs append, such as
 * `.part`.
 */
const maxNameBytes = 240;

/** Characters that Windows does not allow in names, and characters that break a line or change the text direction. */
const unsafe = /[<>:"|?*\\/\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Names that Windows reserves for devices, with any extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?=\.|$)/i;

/**
 * Suggests a name for a translated file: `menu.fr.xlsx` for `menu.xlsx` or `menu.en.xlsx`. The name differs from the
 * source's name and from the names of other translations, so that saved files do not overwrite each other. Every file
 * system accepts the name.
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
  // In a name such as `readme.en`, the last part is a language, not an extension.
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
    (extension ?? own) && `.${extension ?? own.replace(/^pot$/i, 'po')}`,
  ]
    .filter(Boolean)
    .join('');
  const clipped = clipBytes(stem, maxNameBytes - ending.length - 1).replace(/[.\s]+$/, '') || unnamed;
  return `${clipped}${ending}`.replace(device, '_$&');
}

/** Returns the start of a text with at most `bytes` bytes in UTF-8, without an incomplete character at the end. */
function clipBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  return encoded.length <= bytes
    ? text
    : encoded
        .subarray(0, bytes)
        .toString()
        .replace(/\ufffd+$/, '');
}
