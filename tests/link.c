/* Linked with all objects of one folder of src/ and the libraries that the folder may use. The link
 * fails if the folder calls anything else. */
int main(void) { return 0; }
