/** How many Unicode code points `text` has; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    if (!isPairAt(text, index)) continue;
    pairs++;
    index++;
  }
  return text.length - pairs;
}

/** The offset `count` code points after `from`, or the end of `text` where it has fewer. */
export function skipCodePoints(text: string, from: number, count: number): number {
  let index = from;
  for (let left = count; left > 0 && index < text.length; left--) index += isPairAt(text, index) ? 2 : 1;
  return index;
}

function isPairAt(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}
