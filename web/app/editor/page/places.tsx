import { ChevronDown, ChevronUp, Repeat2 } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { CommandKey } from '../../keys/command-key.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import styles from './page.module.css';
import type { PageText, Place } from './page-texts.ts';

const storedKey = 'lingualoop-right-places';

/** Maximum number of places that this device remembers as right. */
const maxStored = 500;

/**
 * The places of a page that the reviewer has not found right on this device, and the selected one of them, with their keys.
 * @param use called to fix a place
 */
export function usePlaces(
  documentId: string,
  {
    found,
    all,
    chosen,
    select,
    turn,
  }: {
    found: { places: readonly Place[] };
    all: readonly PageText[];
    chosen: readonly string[];
    select: (ids: readonly string[]) => void;
    /** @returns false if the file has no such page */
    turn: (step: number) => boolean;
  },
  use: (place: Place) => unknown,
) {
  const t = useT();
  const [right, setRight] = useState(() => (localStorage.getItem(storedKey) ?? '').split(' '));
  const keyOf = ({ region_ids }: Place) => [documentId, ...region_ids].join('/');
  const places = found.places.filter((place) => !right.includes(keyOf(place)));
  const at = places.findIndex(({ region_ids }) => isSame(region_ids, chosen));
  const place = places[at];
  const markRight = () => {
    if (!place) return;
    const next = [...right, keyOf(place)].slice(-maxStored);
    localStorage.setItem(storedKey, next.join(' '));
    setRight(next);
    announce(t('pageView.marked_right'));
  };
  /** Selects the next critical segment of the page, then the next place, then those of the next page. */
  const move = (step: 1 | -1) => {
    const critical = all.filter(({ segment }) => segment?.status === 'critical').map(({ id }) => [id]);
    const stops = [...critical, ...places.map(({ region_ids }) => region_ids)];
    const from = stops.findIndex((ids) => isSame(ids, chosen));
    const next = stops[from < 0 && step < 0 ? stops.length - 1 : from + step];
    if (next) select(next);
    else if (!turn(step)) announce(t('pageView.no_places'));
  };
  useCommands({
    otherReading: () => place && use(place),
    rightReading: markRight,
    nextFinding: () => move(1),
    previousFinding: () => move(-1),
  });
  return { places, at, onUse: use, onRight: markRight, onMove: move };
}

/** Whether two selections have the same texts. */
function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

/** The place of a page that is looked at, with both readings of its texts. A place is a hint and prevents nothing. */
export function Places({
  places,
  at,
  texts,
  onUse,
  onRight,
  onMove,
}: ReturnType<typeof usePlaces> & { texts: readonly PageText[] }) {
  const t = useT();
  const place = places[at];
  if (places.length === 0) return null;
  const now = place?.region_ids.map((id) => texts.find((text) => text.id === id)?.text ?? '') ?? [];
  return (
    <section aria-label={t('pageView.places', { count: places.length })} className={styles.places}>
      <Row justify="space-between">
        <Text as="b" size="sm">
          {t('pageView.places', { count: places.length })}
        </Text>
        <Row isTight gap={0}>
          {place && (
            <Text size="xs" tone="faint">
              {t('pageView.place_of', { place: at + 1, places: places.length })}
            </Text>
          )}
          <IconButton label={t('pageView.previous_place')} onClick={() => onMove(-1)}>
            <ChevronUp size={16} aria-hidden />
          </IconButton>
          <IconButton label={t('pageView.next_place')} onClick={() => onMove(1)}>
            <ChevronDown size={16} aria-hidden />
          </IconButton>
        </Row>
      </Row>
      {place && (
        <Card pad={3} gap={2} tone="hint">
          <Text as="p" size="sm">
            {t(place.mend.action === 'join' ? 'pageView.doubt_join' : 'pageView.doubt_split')}
          </Text>
          <div className={styles.readings}>
            <Reading title={t('pageView.now')} texts={now} />
            <Reading title={t('pageView.other_reading')} texts={place.after} />
          </div>
          <Row>
            <button type="button" className="small" onClick={() => onUse(place)}>
              <Repeat2 size={14} aria-hidden /> {t('pageView.use_other')} <CommandKey id="otherReading" />
            </button>
            <button type="button" className="ghost small" onClick={onRight}>
              {t('pageView.is_right')} <CommandKey id="rightReading" />
            </button>
          </Row>
        </Card>
      )}
    </section>
  );
}

function Reading({ title, texts }: { title: string; texts: readonly string[] }) {
  return (
    <Stack gap={1}>
      <Text size="xs" tone="faint">
        {title}
      </Text>
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two texts may be equal
        <bdi key={index} className={styles.reading} translate="no">
          {text}
        </bdi>
      ))}
    </Stack>
  );
}
