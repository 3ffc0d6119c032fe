import { Lock } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useT } from '../i18n.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import styles from './editor.module.css';
import { ActionProblem } from './unsaved.tsx';

/** A line of the plan: what it is, and a hint. */
interface Line {
  text: string;
  hint?: string;
}

/** A dialog that lists what an approval of everything confirms and what it leaves out, before it is done. */
export function ApprovePlan({
  title,
  clean,
  warnings,
  left,
  withWarnings,
  onWithWarnings,
  result,
  action,
  isReady,
  error,
  children,
  onApprove,
  onClose,
}: {
  title: string;
  /** The items without findings, which are confirmed. */
  clean: Line;
  /** The items with warnings, which are confirmed only if the reviewer selects them. */
  warnings: string | undefined;
  /** The items that are only confirmed one by one. */
  left: readonly Line[];
  withWarnings: boolean;
  onWithWarnings: (withWarnings: boolean) => void;
  /** The state after the approval. */
  result: ReactNode;
  /** The label of the button. */
  action: string;
  isReady: boolean;
  error: unknown;
  /** Shown above the buttons. */
  children?: ReactNode;
  onApprove: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const id = useId();
  return (
    <Dialog title={title} onClose={onClose}>
      <ul className={styles['plan']}>
        <li>
          <StatusMark status="todo" />
          <div>
            <b>{clean.text}</b>
            <span className="hint">{clean.hint}</span>
          </div>
        </li>
        {warnings && (
          <li>
            <StatusMark status="warning" />
            <label htmlFor={id}>
              <input
                id={id}
                type="checkbox"
                checked={withWarnings}
                onChange={({ target }) => onWithWarnings(target.checked)}
              />
              {warnings}
            </label>
          </li>
        )}
        {left.map(({ text, hint }) => (
          <li key={text} className={styles['locked']}>
            <StatusMark status="critical" />
            <div>
              <b>
                <Lock size={13} aria-hidden /> {text}
              </b>
              {hint && <span className="hint">{hint}</span>}
            </div>
          </li>
        ))}
      </ul>
      <p className={styles['result']}>{result}</p>
      {error ? <ActionProblem error={error} /> : null}
      {children}
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t('common.cancel')}
        </button>
        <button type="button" className="primary" disabled={!isReady} onClick={onApprove}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
