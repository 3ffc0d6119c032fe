/** Of what a judge remarks, so many UTF-16 units are kept. */
const longestRemark = 2000;

export function clipRemark(text: string): string {
  return text.length <= longestRemark ? text : text.slice(0, longestRemark).toWellFormed();
}
