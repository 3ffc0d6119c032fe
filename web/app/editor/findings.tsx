import { useId, useState } from 'react';
import type { QualityIssue } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { keyLabel } from '../keys/commands.ts';
import { useCommands } from '../keys/use-commands.ts';
import { StatusMark } from '../parts/status-mark.tsx';
import type { Correction } from './corrections.ts';
import styles from './editor.module.css';
import type { Reason } from './segment-saves.ts';

/** Minimum number of characters in the note of a reason. */
const minNote = 10;

/**
 * The findings of the open segment, the worst first. If the reviewer confirmed a segment with critical findings, it asks
 * for a reason: a key that is held down cannot overrule a finding.
 * @param isCurrent whether the findings belong to the text as it is now
 */
export function Findings({
  issues,
  corrections,
  isCurrent,
  isBlocked,
  onUse,
  onOverrule,
}: {
  issues: readonly QualityIssue[];
  /** The corrections that a key or a click makes. */
  corrections: ReadonlyMap<QualityIssue, Correction>;
  isCurrent: boolean;
  isBlocked: boolean;
  onUse: (correction: Correction) => void;
  onOverrule: (reason: Reason) => void;
}) {
  const t = useT();
  const sorted = issues.toSorted((one, other) => weights[other.severity] - weights[one.severity]);
  const [first] = sorted.flatMap((issue) => corrections.get(issue) ?? []);
  useCommands({ useSuggestion: () => first && onUse(first) });
  if (sorted.length === 0 && !isBlocked) return null;
  return (
    <div role="gridcell" tabIndex={-1} className={styles['findings']} aria-busy={!isCurrent || undefined}>
      <ul>
        {sorted.map((issue) => {
          const correction = corrections.get(issue);
          return (
            <li key={`${issue.severity} ${issue.span} ${issue.explanation}`} data-severity={issue.severity}>
              <StatusMark status={issue.severity === 'critical' ? 'critical' : 'warning'} />
              <p>
                <b>{t(`review.${issue.severity}`)}</b> <bdi>{issue.explanation}</bdi>
                {issue.suggestion && !correction && <bdi className="hint">{issue.suggestion}</bdi>}
              </p>
              {correction && (
                <button type="button" className="small" onClick={() => onUse(correction)}>
                  {t('editor.use')} <bdi translate="no">{correction.text}</bdi>
                  {correction === first && <kbd>{keyLabel('Alt+Enter')}</kbd>}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {isBlocked && <Overrule onOverrule={onOverrule} />}
    </div>
  );
}

const weights = { minor: 0, major: 1, critical: 2 };

const codes = ['check_is_wrong', 'client_wants_it', 'elsewhere_in_text'] as const satisfies Reason['code'][];

function Overrule({ onOverrule }: { onOverrule: (reason: Reason) => void }) {
  const t = useT();
  const group = useId();
  const [code, setCode] = useState<Reason['code']>();
  const [note, setNote] = useState('');
  const isReady = code !== undefined && [...note.trim()].length >= minNote;
  const overrule = () => {
    if (code !== undefined && isReady) onOverrule({ code, note: note.trim() });
  };
  useCommands({ confirmAnyway: overrule });
  return (
    <div role="alert" className={styles['overrule']}>
      <p>
        <b>{t('editor.not_confirmed')}</b> {t('editor.not_confirmed_why')}
      </p>
      <fieldset>
        <legend>{t('editor.reason')}</legend>
        {codes.map((one) => (
          <label key={one}>
            <input type="radio" name={group} checked={code === one} onChange={() => setCode(one)} />
            {t(`editor.reason_${one}`)}
          </label>
        ))}
      </fieldset>
      <input
        aria-label={t('editor.note')}
        placeholder={t('editor.note')}
        maxLength={500}
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
      <button type="button" className="danger" aria-disabled={!isReady} onClick={overrule}>
        {t('editor.confirm_anyway')} <kbd>{keyLabel('Mod+Shift+Enter')}</kbd>
      </button>
      <p className="hint">{t('editor.reason_kept')}</p>
    </div>
  );
}
