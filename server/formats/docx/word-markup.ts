import type { TextMarkup } from '../office/paragraph/tokens.ts';
import { escapeXmlText } from '../office/splice.ts';

/** How Word represents text: breaks and tabs are elements inside of runs. */
export const wordMarkup: TextMarkup = {
  hasOneTextPerRun: false,
  textElement: (text, prefix) => `<${prefix}t xml:space="preserve">${escapeXmlText(text)}</${prefix}t>`,
  runs: (text, opening, properties, prefix) =>
    `${opening}${properties}${runContent(text, prefix)}</${prefix}r>`,
};

/** Characters that Word represents by elements, with these elements' names. */
const characterElements: ReadonlyMap<string, string> = new Map([
  ['\n', 'br'],
  ['\t', 'tab'],
  ['\u00ad', 'softHyphen'],
  ['\u2011', 'noBreakHyphen'],
]);

function runContent(text: string, prefix: string): string {
  let written = '';
  for (const piece of text.replace(/\r\n?/g, '\n').split(/([\n\t\u00ad\u2011])/)) {
    const element = characterElements.get(piece);
    if (element !== undefined) written += `<${prefix}${element}/>`;
    else if (piece !== '') {
      const space = /^\s|\s$|\s\s/.test(piece) ? ' xml:space="preserve"' : '';
      written += `<${prefix}t${space}>${escapeXmlText(piece)}</${prefix}t>`;
    }
  }
  return written;
}
