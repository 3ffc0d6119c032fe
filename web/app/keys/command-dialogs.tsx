import { type KeyboardEvent, useId, useState } from 'react';
import { type Translate, useT } from '../i18n.tsx';
import { Dialog } from '../parts/confirm-dialog.tsx';
import { type Command, type CommandId, commands, keyLabel, type Place } from './commands.ts';
import styles from './keys.module.css';
import { isComposing } from './match-key.ts';
import { availableCommands, runCommand, setSingleKeys, useCommands, useSingleKeys } from './use-commands.ts';

/** The help (`?`) and the command palette (Mod+K), on any screen with commands. */
export function CommandDialogs() {
  const [open, setOpen] = useState<'help' | 'palette'>();
  useCommands({ help: () => setOpen('help'), palette: () => setOpen('palette') });
  const close = () => setOpen(undefined);
  if (open === 'help') return <Help onClose={close} />;
  if (open === 'palette') return <Palette onClose={close} />;
  return null;
}

function Help({ onClose }: { onClose: () => void }) {
  const t = useT();
  const isOn = useSingleKeys();
  const available = availableCommands();
  const groups: [Place, string][] = [
    ['anywhere', t('keys.anywhere')],
    ['field', t('keys.in_field')],
    ['list', t('keys.in_list')],
  ];
  return (
    <Dialog title={t('keys.title')} className={styles.dialog} onClose={onClose}>
      {groups.map(([place, title]) => {
        const ids = available.filter((id) => commands[id].where === place);
        return (
          ids.length > 0 && (
            <section key={place}>
              <h3>{title}</h3>
              <dl className={styles.keys}>
                {ids.map((id) => (
                  <div key={id}>
                    <dt>
                      <Keys id={id} />
                    </dt>
                    <dd>{nameOf(id, t)}</dd>
                  </div>
                ))}
              </dl>
            </section>
          )
        );
      })}
      <label className={styles.switch}>
        <input type="checkbox" checked={isOn} onChange={({ target }) => setSingleKeys(target.checked)} />
        {t('keys.single')}
      </label>
      <p className="hint">{t('keys.single_hint')}</p>
      <button type="button" onClick={onClose}>
        {t('keys.close')}
      </button>
    </Dialog>
  );
}

function nameOf(id: CommandId, t: Translate): string {
  const { name, values }: Command = commands[id];
  return t(name, values);
}

function Keys({ id }: { id: CommandId }) {
  return commands[id].keys.map((key) => <kbd key={key}>{keyLabel(key)}</kbd>);
}

/** All commands by name: arrow keys select, Enter runs. */
function Palette({ onClose }: { onClose: () => void }) {
  const t = useT();
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  // The commands are determined once, when the palette opens.
  const [available] = useState(() => availableCommands().filter((id) => id !== 'palette'));
  const found = available.filter((id) =>
    nameOf(id, t).toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  const chosen = found[Math.min(at, found.length - 1)];

  const run = (id: CommandId | undefined) => {
    onClose();
    // The command runs after the dialog has restored the focus, because it may depend on the focused element.
    if (id) setTimeout(() => runCommand(id));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0)
      setAt((Math.min(at, found.length - 1) + step + found.length) % found.length);
    else if (event.key === 'Enter') run(chosen);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title={t('keys.palette')} className={styles.dialog} onClose={onClose}>
      <input
        role="combobox"
        aria-label={t('keys.find_command')}
        aria-expanded
        aria-controls={list}
        aria-activedescendant={chosen && `${list}-${chosen}`}
        autoComplete="off"
        value={wanted}
        onChange={({ target }) => {
          setWanted(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={list} aria-label={t('keys.title')} className={styles.palette}>
        {found.map((id) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's, which has the focus
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          <div
            key={id}
            id={`${list}-${id}`}
            role="option"
            aria-selected={id === chosen}
            onClick={() => run(id)}
          >
            {nameOf(id, t)}
            <Keys id={id} />
          </div>
        ))}
      </div>
      {found.length === 0 && <p>{t('keys.nothing_found')}</p>}
    </Dialog>
  );
}
