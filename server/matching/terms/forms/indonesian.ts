import { type Inflection, matching } from './paradigm.ts';

/** Indonesian and Malay write pronouns and particles onto the word; the word itself does not change. */
export const indonesian: Inflection = {
  stems: (word) => [{ stem: word, endings: enclitics }],
};

const enclitics = matching(/^(?:nya|ku|mu)?(?:lah|kah|pun|tah)?$/);
