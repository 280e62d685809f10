/** The actor of an event without an owner: a person at the keyboard, or the lead acting for them. */
export const PERSON = "person"
/** The actor when teamwork decides by itself. */
export const ENGINE = "teamwork"
/** The actor when a rule decides, without waiting for a person. */
export const POLICY = "policy"
