import { limits, overLimit } from '../file-error.ts';
import type { PositionedXmlEvents, XmlStartTag } from '../office/xml-reader.ts';
import { countCharacters } from '../text-tally.ts';
import { decodeCellText, encodeAttributeText, hasLetter } from './cell-text.ts';
import type { PartEditor } from './part-stream.ts';
import { replaceAttributes } from './part-stream.ts';
import { isSpreadsheet } from './workbook.ts';

/**
 * The attributes of a data validation with the texts that Excel shows at a cell, each with its name for reviewers and
 * with its maximum length in UTF-16 units. Excel repairs a file with a longer text.
 */
const messages = {
  promptTitle: { name: 'prompt title', limit: 32 },
  prompt: { name: 'prompt', limit: 255 },
  errorTitle: { name: 'error title', limit: 32 },
  error: { name: 'error message', limit: 225 },
} as const;

type MessageName = keyof typeof messages;

/** A text that Excel shows when a cell with a data validation is selected, or has a wrong value. */
export interface ValidationText {
  /** The cell id of the segment. */
  key: string;
  /** The place in the sheet, in readable form: `prompt of validation 2`. */
  place: string;
  text: string;
  limit: number;
}

/** Collects the texts of the data validations of a sheet, which have numbers from 1. */
export class ValidationTexts {
  /** The texts with a letter. */
  readonly texts: ValidationText[] = [];
  /** The other texts: their number, and that of their characters. */
  readonly others = { texts: 0, characters: 0 };
  #count = 0;

  /** Adds the texts of a `dataValidation` element. */
  add(tag: XmlStartTag): void {
    this.#count++;
    for (const [attribute, { name, limit }] of Object.entries(messages)) {
      const text = decodeCellText(tag.attributes[attribute] ?? '');
      if (!hasLetter(text)) {
        const characters = countCharacters(text);
        if (characters > 0) this.others.texts++;
        this.others.characters += characters;
        continue;
      }
      const place = `${name} of validation ${this.#count}`;
      this.texts.push({ key: keyOf(this.#count, attribute), place, text, limit });
      if (this.texts.length > limits.allSegments)
        throw overLimit('the number of messages of data validations', limits.allSegments);
    }
  }
}

function keyOf(number: number, attribute: string): string {
  return `validation${number}-${attribute}`;
}

/** Writes new texts of data validations into a sheet. @param texts the texts by their keys */
export function validationWriter(
  editor: PartEditor,
  texts: ReadonlyMap<string, string>,
): PositionedXmlEvents {
  let depth = 0;
  let isInCells = false;
  let count = 0;
  return {
    openTag: (tag) => {
      if (++depth === 2) isInCells = tag.local === 'sheetData' && isSpreadsheet(tag);
      if (depth < 3 || isInCells || tag.local !== 'dataValidation') return;
      count++;
      const values = new Map<string, string>();
      for (const attribute of Object.keys(messages) as MessageName[]) {
        const text = texts.get(keyOf(count, attribute));
        if (text !== undefined) values.set(attribute, encodeAttributeText(text));
      }
      if (values.size > 0) replaceAttributes(editor, tag, values);
    },
    closeTag: () => {
      depth--;
    },
  };
}
