import type { FormatKind } from '../inline-content.ts';

/** The elements that only format their text. */
export const inlineFormats: Readonly<Record<string, FormatKind>> = {
  ...{ b: 'bold', strong: 'bold', i: 'italic', em: 'italic', u: 'underline', ins: 'underline' },
  ...{ s: 'strike', strike: 'strike', del: 'strike', sup: 'superscript', sub: 'subscript' },
};

/** The elements inside a sentence that have no content. */
export const inlineVoids: ReadonlySet<string> = new Set([
  'area',
  'br',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'wbr',
]);

/** Elements whose content is not translated: why. */
export const opaqueElements: Readonly<Record<string, string>> = {
  ...{
    code: 'code',
    kbd: 'code',
    samp: 'code',
    tt: 'code',
    var: 'code',
    script: 'code',
    style: 'code',
    iframe: 'code',
  },
  math: 'formula',
};
