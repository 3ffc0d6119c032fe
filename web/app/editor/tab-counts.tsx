import { useFormat } from '../parts/format.ts';
import type { Languages } from './marks.ts';
import { useOutline } from './outline.ts';
import type { EditedSegment } from './segment.ts';
import { useMatches, useTerms } from './use-segment-data.ts';

interface OfSegment {
  segment: EditedSegment;
  languages: Languages;
}

/** The number of glossary terms in a segment. */
export function TermCount({ segment, languages }: OfSegment) {
  return <Count of={useTerms(segment, languages).length} />;
}

/** The number of TM matches of a segment. */
export function MatchCount({ segment, languages }: OfSegment) {
  return <Count of={useMatches(segment, languages).data?.matches.length ?? 0} />;
}

/** The number of segments of a document with findings; red if some are critical. */
export function IssueCount({ documentId }: { documentId: string }) {
  const { critical = 0, warning = 0 } = useOutline(documentId).data?.statuses ?? {};
  return <Count of={critical + warning} isCritical={critical > 0} />;
}

/** A number in the label of a tab; nothing for 0. */
function Count({ of, isCritical = false }: { of: number; isCritical?: boolean }) {
  const { number } = useFormat();
  return of > 0 ? <b data-critical={isCritical || undefined}>{number(of)}</b> : null;
}
