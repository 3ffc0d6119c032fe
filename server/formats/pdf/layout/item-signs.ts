/**
 * The signs in front of the items of a list: bullets, check boxes, arrows, dashes, and characters of symbol fonts that
 * have no meaning in Unicode.
 */
const sign = String.raw`[•‣◦⁃·*–—\-›»√✓✔➢\ufffd\p{Co}]|(?![©®™℠℗°№℃℉])\p{So}`;
const leadingSign = new RegExp(
  String.raw`^(?:(?:${sign}|\*{2,3}|[†‡])\s|[□√☐☑☒❏❑]|[•‣◦⁃·▪■●○◆►➢✓・]\p{L}|--?\p{L})`,
  'u',
);
const onlySign = new RegExp(`^(?:${sign}|[□☐☑☒❏❑◯])$`, 'u');
/** A box to check that is written with brackets: `[ ]`, `[x]`, `( )`, `[      ]`. */
const writtenBox = /^(?:\[(?:[\sxX_]{0,3}|\s+)\]|\([\s_]{1,3}\))(?:\s|$)/u;
const box = /^[□☐☑☒❏❑❒◻◽⬜🗆🗹]$/u;

/** A sign that may be a bullet if it is repeated. The others stand before amounts and after labels, or are brackets. */
const otherSign = /^(?![\p{Sc}\p{Ps}\p{Pe}\p{Pi}\p{Pf}"'.,:;/%&§#@])[\p{S}\p{P}]$/u;

/** Whether a text starts with a bullet, a check box, or an option of a command. */
export function startsWithSign(text: string): boolean {
  return leadingSign.test(text) || writtenBox.test(text);
}

/** Returns the box to check, written with brackets, at the start of a text; empty if missing. */
export function boxAtStart(text: string): string {
  return writtenBox.exec(text)?.[0].trimEnd() ?? '';
}

/** Whether a text is only a bullet or a similar sign. */
export function isSign(text: string): boolean {
  return onlySign.test(text);
}

/** Whether a text is a sign that is a bullet if it is at the same position before several texts. */
export function mayBeBullet(text: string): boolean {
  return otherSign.test(text);
}

/** Whether a box to check starts at a text. */
export function startsWithBox(text: string): boolean {
  return box.test([...text.slice(0, 2)][0] ?? '') || writtenBox.test(text);
}
