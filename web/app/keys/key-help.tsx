import { useState } from 'react';
import { useT } from '../i18n.tsx';
import { Row, Stack } from '../kit/box.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Check } from '../kit/field.tsx';
import { Text } from '../kit/text.tsx';
import { type CommandId, commands, keyLabel, nameOfCommand, type Place } from './commands.ts';
import styles from './keys.module.css';
import { matchOf } from './match-name.ts';
import { availableCommands, setSingleKeys, useSingleKeys } from './use-commands.ts';

/** All keys of the screen, which can be found by name or key. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const t = useT();
  const isOn = useSingleKeys();
  const [sought, setSought] = useState('');
  // The commands are determined once: the dialog hides the screen.
  const [available] = useState(availableCommands);
  const groups: [Place, string][] = [
    ['anywhere', t('keys.anywhere')],
    ['field', t('keys.in_field')],
    ['list', t('keys.in_list')],
  ];
  const isFound = (id: CommandId) =>
    matchOf(nameOfCommand(id, t), sought) || commands[id].keys.some((key) => matchOf(keyLabel(key), sought));
  const found = available.filter(isFound);
  return (
    <Dialog title={t('keys.title')} isWide onClose={onClose}>
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
                <Text as="h3" size="xs" tone="soft">
                  {title}
                </Text>
                <Stack as="ul" gap={2}>
                  {ids.map((id) => (
                    <Row as="li" key={id} justify="space-between">
                      <Text size="sm">{nameOfCommand(id, t)}</Text>
                      <Row as="span" isTight gap={1}>
                        {commands[id].keys.map((key) => (
                          <kbd key={key}>{keyLabel(key)}</kbd>
                        ))}
                      </Row>
                    </Row>
                  ))}
                </Stack>
              </section>
            )
          );
        })}
      </div>
      {available.includes('nextFinding') && <p className="hint">{t('tools.no_split')}</p>}
      <Check label={t('keys.single')} isChecked={isOn} onChange={setSingleKeys} />
      <p className="hint">{t('keys.single_hint')}</p>
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t('keys.close')}
        </button>
      </div>
    </Dialog>
  );
}
