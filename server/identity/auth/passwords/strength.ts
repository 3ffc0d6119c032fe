import { type OptionsType, ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';

/*
 * Estimates how easily a password is guessed. Only the threads that hash passwords load this file: the dictionaries take
 * memory and time, and an estimate blocks its thread.
 */

/** Characters that are examined, and spellings such as `p4ssw0rd` that are tried: the time grows fast with both. */
const examined = 48;
const spellings = 4;
/** Guesses, as a power of ten, that a password must withstand. An offline attack on argon2id needs years for them. */
const requiredGuesses = 8;

let estimator: ZxcvbnFactory | undefined;

/**
 * Whether a password is easily guessed: it consists of common passwords, names, words, dates, keyboard patterns or
 * repetitions, or of the given words.
 * @param own words that an attacker may try: of the address, the workspace and the product
 */
export function isEasilyGuessed(password: string, own: readonly string[]): boolean {
  estimator ??= new ZxcvbnFactory({
    dictionary: { ...dictionary, ...english },
    graphs: adjacencyGraphs,
    maxLength: examined,
    l33tMaxSubstitutions: spellings,
  } satisfies OptionsType);
  const start = [...password].slice(0, examined).join('');
  return estimator.check(start, [...own]).guessesLog10 < requiredGuesses;
}
