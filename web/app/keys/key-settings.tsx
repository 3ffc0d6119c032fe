import { type KeyboardEvent, useRef, useState } from 'react';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { Dialog } from '../parts/confirm-dialog.tsx';
import {
  isChanged,
  type KeyProblem,
  keysOf,
  pressedKeys,
  problemOf,
  setKeys,
  useChangedKeys,
} from './changed-keys.tsx';
import { type CommandId, commands, keyLabel, nameOfCommand, type Place } from './commands.ts';
import styles from './keys.module.css';
import { isComposing } from './match-key.ts';
import { matchOf } from './match-name.ts';
import { availableCommands, setSingleKeys, useSingleKeys } from './use-commands.ts';

/** All keys of the screen, which can be found by name or key, and changed. */
export function KeySettings({ onClose }: { onClose: () => void }) {
  const t = useT();
  const isOn = useSingleKeys();
  const changed = useChangedKeys();
  const [sought, setSought] = useState('');
  // The commands are determined once: the dialog hides the screen.
  const [available] = useState(availableCommands);
  const groups: [Place, string][] = [
    ['anywhere', t('keys.anywhere')],
    ['field', t('keys.in_field')],
    ['list', t('keys.in_list')],
  ];
  const isFound = (id: CommandId) =>
    matchOf(nameOfCommand(id, t), sought) || keysOf(id).some((key) => matchOf(keyLabel(key), sought));
  const found = available.filter(isFound);
  return (
    <Dialog title={t('keys.title')} className={styles.dialog} onClose={onClose}>
      <input
        type="search"
        dir="auto"
        aria-label={t('keys.find_key')}
        placeholder={t('keys.find_key')}
        value={sought}
        onChange={({ target }) => setSought(target.value)}
      />
      <p role="status" className={found.length > 0 ? 'visually-hidden' : 'hint'}>
        {sought.trim() !== '' && t('keys.found', { count: found.length })}
      </p>
      <div className={styles.groups}>
        {groups.map(([place, title]) => {
          const ids = found.filter((id) => commands[id].where === place);
          return (
            ids.length > 0 && (
              <section key={place}>
                <h3>{title}</h3>
                <ul className={styles.keys}>
                  {ids.map((id) => (
                    <KeySetting key={id} id={id} />
                  ))}
                </ul>
              </section>
            )
          );
        })}
      </div>
      {available.includes('nextFinding') && <p className="hint">{t('tools.no_split')}</p>}
      <label className={styles.switch}>
        <input type="checkbox" checked={isOn} onChange={({ target }) => setSingleKeys(target.checked)} />
        {t('keys.single')}
      </label>
      <p className="hint">{t('keys.single_hint')}</p>
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t('keys.close')}
        </button>
        <button
          type="button"
          className="ghost"
          disabled={Object.keys(changed).length === 0}
          onClick={() => {
            setKeys('all', undefined);
            announce(t('keys.all_reset'));
          }}
        >
          {t('keys.reset_all')}
        </button>
      </div>
    </Dialog>
  );
}

/** A command with its keys. The button reads the new ones; Escape keeps the old ones. */
function KeySetting({ id }: { id: CommandId }) {
  const t = useT();
  const [isWaiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<KeyProblem & { keys: string }>();
  const button = useRef<HTMLButtonElement>(null);
  const name = nameOfCommand(id, t);
  const labels = keysOf(id).map(keyLabel);
  const end = () => {
    setWaiting(false);
    setProblem(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isWaiting || isComposing(event.nativeEvent)) return;
    // Tab leaves the button, as everywhere.
    if (event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return end();
    const keys = pressedKeys(event.nativeEvent);
    if (keys === undefined || event.repeat) return;
    const found = problemOf(id, keys);
    setProblem(found && { ...found, keys: keyLabel(keys) });
    if (found) return;
    setKeys(id, keys);
    setWaiting(false);
    announce(t('keys.changed', { name, keys: keyLabel(keys) }));
  };
  return (
    <li>
      <span>{name}</span>
      <span className={styles.setting}>
        {isChanged(id) && !isWaiting && (
          <button
            type="button"
            className="ghost small"
            aria-label={t('keys.reset_of', { name })}
            onClick={() => {
              setKeys(id, undefined);
              button.current?.focus();
            }}
          >
            {t('keys.reset')}
          </button>
        )}
        <button
          ref={button}
          type="button"
          className="ghost small"
          aria-pressed={isWaiting}
          onClick={() => (isWaiting ? end() : setWaiting(true))}
          onKeyDown={onKeyDown}
          onBlur={end}
        >
          <span className="visually-hidden">{t('keys.change', { name })}</span>{' '}
          {isWaiting ? t('keys.press') : labels.map((label) => <kbd key={label}>{label}</kbd>)}
        </button>
      </span>
      {isWaiting && !problem && (
        <span role="status" className="visually-hidden">
          {t('keys.press_hint')}
        </span>
      )}
      {problem && (
        <span role="alert" className="field-problem">
          {problem.kind === 'taken' &&
            t('keys.problem_taken', { keys: problem.keys, name: nameOfCommand(problem.by, t) })}
          {problem.kind === 'types' && t('keys.problem_types', { keys: problem.keys })}
          {problem.kind === 'reserved' && t('keys.problem_reserved', { keys: problem.keys })}
        </span>
      )}
    </li>
  );
}
