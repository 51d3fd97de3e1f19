/// What this program calls itself in movies and on the command line.
public enum RecorderVersion {
    public static let number = "0.1.0"
    public static let text = "recorder \(number)"
}
