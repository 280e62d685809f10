/** Who is written into an event when no owner was named: a person at the keyboard, or the lead acting for them. */
export const PERSON = "person"
/** Who acts when teamwork decides by itself. */
export const ENGINE = "teamwork"
/** Who decides where a rule does, since nobody is to be waited for. */
export const POLICY = "policy"
