/** Who is written into an event when no owner was named: a person at the keyboard, or the lead acting for them. */
export const PERSON = "person"
/** Who acts when teamwork decides by itself. */
export const ENGINE = "teamwork"
