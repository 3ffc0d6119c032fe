import { type KeyboardEvent, useRef, useState } from 'react';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { Dialog } from '../parts/confirm-dialog.tsx';
import { isChanged, keysOf, setKeys, useChangedKeys } from './changed-keys.tsx';
import {
  type Command,
  type CommandId,
  commandIds,
  commands,
  isApple,
  keyLabel,
  nameOfCommand,
  type Place,
} from './commands.ts';
import styles from './keys.module.css';
import { isComposing, latinKey } from './match-key.ts';
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
        dir={sought === '' ? undefined : 'auto'}
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

/** The pressed keys as in `commands`; undefined while only modifiers are pressed. */
function pressedKeys(event: WindowEventMap['keydown']): string | undefined {
  const { key, altKey, shiftKey, metaKey, ctrlKey } = event;
  if (/^(Shift|Control|Alt|AltGraph|Meta|CapsLock|Dead|Process|Unidentified)$/.test(key)) return undefined;
  const [isMod, isControl] = isApple ? [metaKey, ctrlKey] : [ctrlKey, false];
  const named = latinKey(event);
  // On some layouts, punctuation needs Shift.
  const hasShift = shiftKey && (named.length > 1 || /[a-z]/.test(named));
  const parts = [isMod && 'Mod', isControl && 'Control', altKey && 'Alt', hasShift && 'Shift', named];
  return parts.filter(Boolean).join('+');
}

/** Why keys cannot be set; `taken` by another command that can be used on the same screen. */
type KeyProblem = { kind: 'types' | 'reserved' } | { kind: 'taken'; by: CommandId };

/** Returns why a command cannot have these keys; undefined if it can. */
function problemOf(id: CommandId, keys: string): KeyProblem | undefined {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const has = (name: string) => parts.slice(0, -1).includes(name);
  const { where }: Command = commands[id];
  const isLetter = key.length === 1;
  const isFunction = /^F\d+$/.test(key);
  if (isReserved(key, has, where !== 'list')) return { kind: 'reserved' };
  const typesCharacter = !has('Mod') && !has('Control') && (!has('Alt') || (isApple && isLetter));
  if (typesCharacter && !isFunction && (where !== 'list' || has('Alt'))) return { kind: 'types' };
  const by = commandIds.find((other) => other !== id && !areApart(id, other) && hasKeys(other, keys));
  return by && { kind: 'taken', by };
}

/** Whether the browser or the system keeps the keys, or they edit a text or move the focus. */
function isReserved(key: string, has: (name: string) => boolean, isInField: boolean): boolean {
  if (has('Mod') && (has('Alt') || /^[\dtwn]$/.test(key))) return true;
  if (has('Mod') && isInField && /^[acvxzy]$/.test(key)) return true;
  const isPlain = !has('Mod') && !has('Alt') && !has('Control');
  return (
    /^(Tab|Escape|Backspace|Delete)$/.test(key) ||
    (isPlain && /^(Arrow.*|Home|End|Page.*|Space|F5|F11|F12)$/.test(key)) ||
    (isPlain && isInField && key === 'Enter')
  );
}

const hasKeys = (id: CommandId, keys: string) =>
  keysOf(id).some((one) => one.split('+').sort().join() === keys.split('+').sort().join());

/** Whether two commands have a default key in common, because they are on different screens. */
const areApart = (one: CommandId, other: CommandId) =>
  commands[one].keys.some((key) => (commands[other].keys as readonly string[]).includes(key));
