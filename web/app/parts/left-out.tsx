import { useRef, useState } from 'react';
import { useT } from '../i18n.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import styles from './critical-findings.module.css';
import type { CriticalFinding } from './critical-findings-of.ts';

/** An item that an approval of several items skipped. */
export interface LeftOut {
  id: string;
  /** The item's name: a document's file name, or the beginning of a text. */
  name: string;
  reason: 'unopened' | 'critical_findings';
  findings: readonly CriticalFinding[];
}

/** Shows the items that an approval skipped, each with the reason, and approves the items that the reviewer selects. */
export function LeftOutDialog(props: Props) {
  // If the service skips some of the selected items again, the dialog starts again with those.
  return <Question key={props.items.map(({ id, reason }) => `${id} ${reason}`).join()} {...props} />;
}

interface Props {
  items: readonly LeftOut[];
  /** Approves the selected items. The caller then passes the items that are still skipped. */
  onApprove: (ids: ReadonlySet<string>) => Promise<unknown>;
  onClose: () => void;
}

function Question({ items, onApprove, onClose }: Props) {
  const t = useT();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const isReplaced = useRef(false);
  const toggle = (id: string) =>
    setChosen((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  return (
    <ConfirmDialog
      title={t('review.left_out', { count: items.length })}
      action={t('review.approve_ticked', { count: chosen.size })}
      isReady={chosen.size > 0}
      onConfirm={async () => {
        await onApprove(chosen);
        isReplaced.current = true;
      }}
      onClose={() => {
        if (!isReplaced.current) onClose();
      }}
    >
      <p>{t('review.left_out_why')}</p>
      <ul className="rows">
        {items.map(({ id, name, reason, findings }) => (
          <li key={id}>
            <label className="check">
              <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />{' '}
              <bdi translate="no">{name}</bdi>
            </label>{' '}
            <span className="hint">
              {t(reason === 'unopened' ? 'review.not_opened' : 'review.has_critical')}
            </span>
            <CriticalFindings findings={findings} />
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

function CriticalFindings({ findings }: { findings: readonly CriticalFinding[] }) {
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
