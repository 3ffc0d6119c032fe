export { countCharacters, weighCharacters } from './weight.ts';
