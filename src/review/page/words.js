// Words around the names of classes.
export const article = (word) => (/^[aeiou]/i.test(word) ? 'an' : 'a');
