import { useId, useState } from 'react';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { Stack } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import styles from './editor.module.css';
import { type Decision, minNote } from './finding-actions.ts';
import type { Reason } from './segment-saves.ts';

const resolutions = ['fixed', 'not_an_error', 'accepted'] as const satisfies Decision['resolution'][];

/** Asks how a finding is resolved. A critical one needs a note. */
export function Resolve({
  isCritical,
  canBeFixed,
  isBusy,
  onResolve,
}: {
  isCritical: boolean;
  /** Whether the text has changed since the finding was made. */
  canBeFixed: boolean;
  isBusy: boolean;
  onResolve: (decision: Decision) => void;
}) {
  const t = useT();
  const group = useId();
  const [resolution, setResolution] = useState<Decision['resolution']>();
  const [note, setNote] = useState('');
  const length = [...note.trim()].length;
  const isReady = resolution !== undefined && !isBusy && (length >= minNote || (length === 0 && !isCritical));
  return (
    <Stack
      as="form"
      gap={2}
      onSubmit={(event) => {
        event.preventDefault();
        if (resolution && isReady) onResolve({ resolution, reason: note.trim() || null });
      }}
    >
      <fieldset className={styles['pills']}>
        <legend>{t('editor.resolve_how')}</legend>
        {resolutions.map((one, index) => (
          <label
            key={one}
            title={one === 'fixed' && !canBeFixed ? t('editor.fixed_needs_change') : undefined}
          >
            <input
              type="radio"
              name={group}
              // biome-ignore lint/a11y/noAutofocus: the reviewer has just asked for this choice
              autoFocus={index === (canBeFixed ? 0 : 1)}
              disabled={one === 'fixed' && !canBeFixed}
              checked={resolution === one}
              onChange={() => setResolution(one)}
            />
            {t(`editor.reason_${one}`)}
          </label>
        ))}
      </fieldset>
      <input
        aria-label={t(isCritical ? 'editor.note' : 'editor.note_optional')}
        placeholder={t(isCritical ? 'editor.note' : 'editor.note_optional')}
        maxLength={500}
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
      <button type="submit" className="small" aria-disabled={!isReady}>
        {t('editor.resolve')}
      </button>
    </Stack>
  );
}

const codes = ['check_is_wrong', 'client_wants_it', 'elsewhere_in_text'] as const satisfies Reason['code'][];

/** Asks why a segment is confirmed although it has critical findings. */
export function Overrule({ onOverrule }: { onOverrule: (reason: Reason) => void }) {
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
    <Card role="alert" tone="crit" pad={3}>
      <p>
        <b>{t('editor.not_confirmed')}</b> {t('editor.not_confirmed_why')}
      </p>
      <fieldset className={styles['pills']}>
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
        {t('editor.confirm_anyway')} <CommandKey id="confirmAnyway" />
      </button>
      <p className="hint">{t('editor.reason_kept')}</p>
    </Card>
  );
}
