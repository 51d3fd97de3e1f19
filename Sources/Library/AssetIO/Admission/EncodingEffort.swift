/// The effort of a live encoder.
package struct EncodingEffort: Sendable, Equatable {
    /// The number of steps below the requested effort; 0 means full effort.
    package var step: Int
    /// The number of steps that exist.
    package var steps: Int
    /// A short description of the current step.
    package var summary: String

    package init(step: Int, steps: Int, summary: String) {
        self.step = step
        self.steps = steps
        self.summary = summary
    }
}
