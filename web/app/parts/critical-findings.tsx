import { LinguaLoopError } from '#sdk/errors.ts';
import type { QualityIssue } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** A critical finding, and where it is in a document. */
export interface CriticalFinding extends Pick<QualityIssue, 'explanation'> {
  place?: string;
}

/** The findings that an approval was refused for, of a job or of a document's segments; undefined for any other error. */
export function criticalFindingsOf(error: unknown): CriticalFinding[] | undefined {
  if (!(error instanceof LinguaLoopError) || error.code !== 'critical_findings') return undefined;
  const { critical_findings: found = [] } = (error.present ?? {}) as {
    critical_findings?: (CriticalFinding & { issues?: CriticalFinding[] })[];
  };
  return found.flatMap(({ issues, explanation, place }) =>
    issues
      ? issues.map((issue) => ({ explanation: issue.explanation, ...(place && { place }) }))
      : { explanation },
  );
}

export function CriticalFindings({ findings }: { findings: readonly CriticalFinding[] }) {
  return (
    <ul>
      {findings.map(({ explanation, place }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity, and none is added or removed
        <li key={index}>
          {place !== undefined && <bdi translate="no">{`${place}: `}</bdi>}
          <bdi>{explanation}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** Asks whether something is approved although it has critical findings. */
export function ConfirmCritical({
  findings,
  onConfirm,
  onClose,
}: {
  findings: readonly CriticalFinding[];
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <ConfirmDialog
      title={t('review.critical_question')}
      action={t('review.approve_anyway')}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{t('review.critical_why')}</p>
      <CriticalFindings findings={findings} />
    </ConfirmDialog>
  );
}
