import { type MessageId, useT } from '../i18n.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import type { CriticalFinding } from './critical-findings-of.ts';
import styles from './critical-findings.module.css';

export function CriticalFindings({ findings }: { findings: readonly CriticalFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul className={styles.findings}>
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

/** The default texts: those for an approval. */
const approval = {
  question: 'review.critical_question',
  why: 'review.critical_why',
  action: 'review.approve_anyway',
} as const satisfies Words;

type Words = Record<'question' | 'why' | 'action', MessageId>;

/** Asks for confirmation of an approval with critical findings. */
export function ConfirmCritical({
  name,
  words: { question, why, action } = approval,
  findings,
  onConfirm,
  onClose,
}: {
  /** Name of the item, if the screen does not show it. */
  name?: string;
  words?: Words;
  findings: readonly CriticalFinding[];
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <ConfirmDialog title={t(question)} action={t(action)} isCautious onConfirm={onConfirm} onClose={onClose}>
      {name !== undefined && (
        <blockquote translate="no">
          <bdi>{name}</bdi>
        </blockquote>
      )}
      <p>{t(why)}</p>
      <CriticalFindings findings={findings} />
    </ConfirmDialog>
  );
}
