import { Search } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { useT } from '../i18n.tsx';
import { Fill, Row } from '../kit/box.tsx';
import { Dialog } from '../kit/dialog.tsx';
import popup from '../kit/popup.module.css';
import { Text } from '../kit/text.tsx';
import { Problem } from '../parts/problem.tsx';
import { keyLabel } from './commands.ts';
import styles from './keys.module.css';
import { isComposing } from './match-key.ts';
import { matchOf } from './match-name.ts';
import { type Entry, maxLength, useActions, useFiles, useScreens } from './palette-entries.tsx';

/**
 * Finds screens, commands and files by name: arrow keys select, Enter opens or runs. Files are below the others because
 * they are loaded: an entry never moves while the member is about to select it.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useT();
  const [sought, setSought] = useState('');
  const [selected, setSelected] = useState<string>();
  const list = useId();
  const screens = useScreens().filter(({ name }) => matchOf(name, sought));
  const actions = useActions().filter(({ name }) => matchOf(name, sought));
  const { entries: files, error, isSearching } = useFiles(sought);
  const entries = [...screens, ...actions, ...files];
  const current = entries.find(({ id }) => id === selected) ?? entries[0];
  const option = (id: string) => `${list}-${id}`;
  const select = (id: string | undefined) => {
    setSelected(id);
    if (id) document.getElementById(option(id))?.scrollIntoView({ block: 'nearest' });
  };

  const run = (entry: Entry) => {
    onClose();
    // The command runs after the dialog has restored the focus, because it may depend on the focused element.
    setTimeout(entry.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && current) select(entries.at((entries.indexOf(current) + step) % entries.length)?.id);
    else if (event.key === 'Enter' && current) run(current);
    else if (event.key !== 'Enter') return;
    event.preventDefault();
  };
  const group = (title: string, found: readonly Entry[]) => (
    <Group {...{ title, found, sought, option, run }} current={current} />
  );

  return (
    <Dialog title={t('keys.palette')} className={styles.palette} onClose={onClose}>
      <div className={styles.sought}>
        <Search size={18} aria-hidden />
        <input
          role="combobox"
          dir={sought === '' ? undefined : 'auto'}
          aria-label={t('keys.find_command')}
          placeholder={t('keys.find_command')}
          aria-expanded={entries.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={current && option(current.id)}
          autoComplete="off"
          maxLength={maxLength}
          value={sought}
          onChange={({ target }) => {
            setSought(target.value);
            setSelected(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd aria-hidden>{keyLabel('Escape')}</kbd>
      </div>
      <div role="listbox" id={list} aria-label={t('keys.palette')} className={styles.found}>
        {group(t('keys.screens'), screens)}
        {group(t('keys.commands'), actions)}
        {group(t('documents.title'), files)}
      </div>
      {error ? <Problem error={error} /> : null}
      <p role="status" className={entries.length > 0 ? 'visually-hidden' : styles.nothing}>
        {isSearching && t('keys.searching')}
        {!isSearching && sought.trim() !== '' && t('keys.found', { count: entries.length })}
      </p>
    </Dialog>
  );
}

function Group({
  title,
  found,
  current,
  sought,
  option,
  run,
}: {
  title: string;
  found: readonly Entry[];
  current: Entry | undefined;
  sought: string;
  /** Returns the ID of the element of an entry. */
  option: (id: string) => string;
  run: (entry: Entry) => void;
}) {
  if (found.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot group the options of a list box
    <div role="group" aria-label={title}>
      <Text as="p" size="xs" tone="soft" weight="medium" aria-hidden>
        {title}
      </Text>
      {found.map((entry) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's, which has the focus
        // biome-ignore lint/a11y/useFocusableInteractive: see above
        <div
          key={entry.id}
          id={option(entry.id)}
          role="option"
          className={popup['item']}
          data-focused={entry === current || undefined}
          data-focus-visible={entry === current || undefined}
          aria-selected={entry === current}
          onClick={() => run(entry)}
        >
          <Row as="span" gap={3}>
            <entry.icon size={17} aria-hidden />
            <Fill>
              <bdi>
                <Matched name={entry.name} sought={sought} />
              </bdi>
            </Fill>
            <Text size="xs" tone="soft">
              {entry.hint}
            </Text>
          </Row>
        </div>
      ))}
    </div>
  );
}

/** A name with the part that matches the search emphasized. */
function Matched({ name, sought }: { name: string; sought: string }) {
  const match = matchOf(name, sought);
  if (!match || match.end === match.start) return name;
  return (
    <>
      {name.slice(0, match.start)}
      <b>{name.slice(match.start, match.end)}</b>
      {name.slice(match.end)}
    </>
  );
}
