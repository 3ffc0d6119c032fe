/**
 * Replaces the text in a field, or its selection, as if the reviewer had typed: the browser's undo reverts it.
 * @param range what to replace: all of the text, the selection, or the part between two positions
 */
export function insertText(
  field: HTMLTextAreaElement,
  text: string,
  range: 'all' | 'selection' | readonly [start: number, end: number] = 'selection',
): void {
  field.focus();
  if (range === 'all') field.select();
  else if (range !== 'selection') field.setSelectionRange(...range);
  // `setRangeText` and an assignment to `value` would end the browser's undo.
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
}
