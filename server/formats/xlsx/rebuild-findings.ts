import { type Finding, fileFinding } from '../document.ts';
import { type CellPosition, writeReference } from './cell-reference.ts';
import { sheetNameLimit } from './new-names.ts';
import { sheetNameKey } from './part-texts.ts';
import type { References } from './references.ts';
import type { Sheet } from './workbook.ts';

/** @param place the kinds of objects that have the texts */
export function formattingLost(texts: number, place: string): Finding {
  const message = `in ${texts === 1 ? '1 text' : `${texts} texts`} of ${place}, some words of the translation do not have the formatting of the source`;
  return { severity: 'info', code: 'formatting_lost', message, unitId: null };
}

export function truncated({ name }: Sheet, cell: CellPosition, holder: string, limit: number): Finding {
  const reference = writeReference(cell);
  return {
    severity: 'warning',
    code: 'text_truncated',
    message: `the translation of ${name}!${reference} is longer than the ${limit.toLocaleString('en-US')} characters that ${holder} can hold, and was cut`,
    unitId: reference,
  };
}

export function shortened({ name }: Sheet): Finding {
  return {
    severity: 'warning',
    code: 'text_truncated',
    message: `the translation of ${name}, sheet name, is longer than the ${sheetNameLimit} characters that the name of a sheet can have, and was cut`,
    unitId: sheetNameKey,
  };
}

export function messageCut({ name }: Sheet, key: string, place: string, limit: number): Finding {
  return {
    severity: 'warning',
    code: 'text_truncated',
    message: `the translation of ${name}, ${place}, is longer than the ${limit} characters that Excel accepts there, and was cut`,
    unitId: key,
  };
}

export function unsureReferences({ unsure, places }: References): Finding {
  const subject = unsure === 1 ? '1 formula makes a reference' : `${unsure} formulas make references`;
  const where = places.length === 0 ? '' : ` (${places.join(', ')}${unsure > places.length ? ', …' : ''})`;
  const message = `${subject} from texts${where}, which may contain old names of sheets or columns; check the results in Excel`;
  return fileFinding('warning', 'unsupported_content_kept', message);
}
