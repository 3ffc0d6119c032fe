import { ContentScanner } from './reading/content-scanner.ts';

/**
 * Encloses a content stream so that it leaves no trace in what is drawn after it: saves and restores the graphics state, also
 * around a stream with more restores than saves or the other way around, and closes the text and the marked content that it
 * leaves open. The stream's own bytes stay as they are, but for those after its last operator, such as a string without an end.
 */
export function enclose(content: Uint8Array): Uint8Array {
  const scanner = new ContentScanner(content);
  let depth = 0;
  let lowest = 0;
  let marked = 0;
  let isText = false;
  while (scanner.next()) {
    switch (scanner.operator) {
      case 'q':
        depth++;
        break;
      case 'Q':
        depth--;
        lowest = Math.min(lowest, depth);
        break;
      case 'BT':
        isText = true;
        break;
      case 'ET':
        isText = false;
        break;
      case 'BMC':
      case 'BDC':
        marked++;
        break;
      case 'EMC':
        if (marked > 0) marked--;
        break;
    }
  }
  const whole = content.subarray(0, scanner.end);
  // One more than the restores without a save: so none of them restores what was before.
  const saves = 1 - lowest;
  const end = (isText ? 'ET\n' : '') + 'EMC\n'.repeat(marked) + 'Q\n'.repeat(saves + depth);
  return Buffer.concat([Buffer.from('q\n'.repeat(saves)), whole, Buffer.from(`\n${end}`)]);
}
