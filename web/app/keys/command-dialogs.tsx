import { lazy, Suspense, useState } from 'react';
import { loadWords, useT } from '../i18n.tsx';
import { Dialog } from '../parts/confirm-dialog.tsx';
import { type CommandId, commands, keyLabel, nameOfCommand, type Place } from './commands.ts';
import styles from './keys.module.css';
import { availableCommands, setSingleKeys, useCommands, useSingleKeys } from './use-commands.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** The help (`?`) and the command palette (Mod+K), on any screen with commands. */
export function CommandDialogs() {
  const [open, setOpen] = useState<'help' | 'palette'>();
  // The names of some commands load with these dialogs.
  const show = (dialog: typeof open) => void loadWords('tools').then(() => setOpen(dialog));
  useCommands({ help: () => show('help'), palette: () => show('palette') });
  const close = () => setOpen(undefined);
  if (open === 'help') return <Help onClose={close} />;
  if (open === 'palette')
    return (
      <Suspense>
        <Palette onClose={close} />
      </Suspense>
    );
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
      <div className={styles.groups}>
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
                      <dd>{nameOfCommand(id, t)}</dd>
                    </div>
                  ))}
                </dl>
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
      <button type="button" onClick={onClose}>
        {t('keys.close')}
      </button>
    </Dialog>
  );
}

function Keys({ id }: { id: CommandId }) {
  return commands[id].keys.map((key) => <kbd key={key}>{keyLabel(key)}</kbd>);
}
